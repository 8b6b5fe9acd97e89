import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../src/db/migrate/migrate.ts'
import { median, ratio } from './load.ts'
import { openBenchDatabase } from './database.ts'

const schedules = 100_000
const rounds = 7
const now = new Date('2026-06-01T12:00:00Z')

/** 100,000 schedules of which 1,000 and 10,000 are due: a beat of the clock against the bare claim-and-insert statement. */
export async function run(): Promise<object> {
  await using database = await openBenchDatabase()
  await migrate(database.directUrl)
  await using client = await connect(database.directUrl)
  await fill(client)
  const floor = await readFile(new URL('tick.sql', import.meta.url), 'utf8')
  const beat = "select claimed from freshet.tick('bench', '15 seconds', $1)"

  const figures: Record<string, number> = {}
  for (const due of [1_000, 10_000]) {
    const times: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] }
    for (let round = 0; round < rounds; round++) {
      times.ours.push(await measure(client, beat, due))
      times.floor.push(await measure(client, floor, due))
    }
    const [ours, bare] = [median(times.ours), median(times.floor)]
    console.log(`${due} due: tick ${ours.toFixed(1)} ms, bare statement ${bare.toFixed(1)} ms`)
    figures[`tickMs${due}`] = Math.round(ours)
    figures[`tickVsFloor${due}`] = ratio(bare, ours)
  }
  const cronNextMicros = await measureCron(client)
  console.log(`cron_next: ${cronNextMicros} µs a call`)
  return { ...figures, tickVsFloor: Math.min(figures.tickVsFloor1000!, figures.tickVsFloor10000!), cronNextMicros }
}

async function connect(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(url)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function fill(client: pg.Client): Promise<void> {
  await client.query(`select pgboss.create_queue('bench', '{"policy":"standard"}')`)
  await client.query('delete from freshet.schedules')
  await client.query(
    `insert into freshet.schedules (name, kind, queue, period_seconds, next_run_at, payload)
     select 'bench ' || n, 'bench ' || n, 'bench', 3600, $1::timestamptz + interval '30 days', jsonb_build_object('feedId', n::text)
     from generate_series(1, $2) n`,
    [now, schedules],
  )
}

/** One beat with so many due, on tables as a vacuum leaves them, in milliseconds. */
async function measure(client: pg.Client, sql: string, due: number): Promise<number> {
  await client.query('truncate pgboss.job')
  await client.query(
    "update freshet.schedules set next_run_at = $1::timestamptz - interval '7 s' where id <= (select min(id) - 1 + $2 from freshet.schedules)",
    [now, due],
  )
  await client.query('vacuum analyze freshet.schedules')
  const started = performance.now()
  await client.query({ text: sql, values: [now] })
  const ms = performance.now() - started
  const { rows } = await client.query<{ jobs: number }>('select count(*)::int as jobs from pgboss.job')
  if (rows[0]?.jobs !== due) throw new Error(`${rows[0]?.jobs} jobs instead of ${due}`)
  return ms
}

/** What one call of cron_next takes, over expressions, zones and moments of many kinds. */
async function measureCron(client: pg.Client): Promise<number> {
  const calls = 20_000
  const sql = `select count(freshet.cron_next(
      (array['*/5 * * * *', '30 4 * * *', '0 9 * * mon-fri', '15 2 1 */3 *', '@hourly'])[1 + n % 5], $1::timestamptz + n * interval '7 min',
      (array['UTC', 'Europe/Vienna', 'America/New_York'])[1 + n % 3])) from generate_series(1, $2) n`
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const started = performance.now()
    await client.query(sql, [now, calls])
    times.push(performance.now() - started)
  }
  return Math.round((median(times) * 1000) / calls)
}
