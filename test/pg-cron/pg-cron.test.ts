import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { lookAtPgCron, prunePgCronHistory, schedulePgCron, unschedulePgCron } from '../../src/db/pg-cron.ts'
import { createLog } from '../../src/log.ts'
import { collectLines } from '../support/lines.ts'
import { until } from '../support/until.ts'
import { makeQueue } from '../support/queue.ts'
import { run } from '../cli/stand.ts'

const { home, away, admin } = inject('pgCron')
const minuteMs = 75_000
const places = [
  ['this database', home],
  ['another database', away],
] as const
const pools = new Map(places.map(([, url]) => [url, new pg.Pool({ connectionString: url })]))
const query = async (url: string, sql: string) => (await pools.get(url)!.query(sql)).rows as Record<string, unknown>[]
const jobs = () => query(home, 'select jobname, schedule, command, database from cron.job order by jobname')
const driver = async (url: string) => (await query(url, 'select driver from freshet.clock'))[0]?.driver
/** Waits for the next full minute, half a second at a time, in the database: a look is no busy loop. */
const pgCronDrives = async (url: string) => {
  await query(url, 'select pg_sleep(0.5)')
  return (await driver(url)) === 'pg_cron'
}
const openAlerts = async (url: string) =>
  (await query(url, 'select kind from freshet.alerts where resolved_at is null')).map(({ kind }) => kind)

beforeAll(async () => {
  for (const [, url] of places) {
    await migrate(url)
    await makeQueue(pools.get(url)!, 'notify')
  }
})
afterAll(async () => {
  for (const pool of pools.values()) await pool.end()
})

async function start(url: string, env: Record<string, string> = {}) {
  const { lines, stream } = collectLines()
  const { config } = readConfig({ PORT: '0', ...env }, { forServer: false })
  const database = {
    url,
    directUrl: url,
    isEmbedded: false,
    description: 'test',
    [Symbol.asyncDispose]: async () => {},
  }
  const app = await startApp({ config, database, log: createLog({ level: 'info', destination: stream }) })
  return Object.assign(app, { lines })
}

test('issue 4 §2: a start gives pg_cron its job, wherever it lives, and says who drives', async () => {
  for (const [, url] of places) {
    await using app = await start(url)
    expect(app.schedules).toBe('pg_cron, every minute; a worker takes over if it stops')
  }
  const command = 'select freshet.tick()'
  expect(await jobs()).toEqual([
    { jobname: 'freshet.away.tick', schedule: '* * * * *', command, database: 'away' },
    { jobname: 'freshet.home.tick', schedule: '* * * * *', command, database: 'home' },
  ])
})

test('the job is made once, however many start at once, and is mended when it was changed', async () => {
  const before = await query(home, 'select jobid from cron.job order by jobid')
  await query(home, "update cron.job set command = 'select 1' where jobname = 'freshet.away.tick'")
  expect(await Promise.all(Array.from({ length: 8 }, () => schedulePgCron(away)))).toEqual(
    Array.from({ length: 8 }, () => ({ home: 'home' })),
  )
  expect(await query(home, 'select jobid from cron.job order by jobid')).toEqual(before)
  expect((await jobs())[0]).toMatchObject({ jobname: 'freshet.away.tick', command: 'select freshet.tick()' })
})

test('issue 4 §2: pg_cron drives, in its home and in another database of the cluster', async () => {
  for (const [, url] of places) await until('pg_cron ticks', () => pgCronDrives(url), minuteMs)
  for (const [, url] of places) {
    const [state] = await query(
      url,
      'select driver, is_late, lag_seconds < 75 as is_fresh from freshet.clock_state(now())',
    )
    expect(state).toEqual({ driver: 'pg_cron', is_late: false, is_fresh: true })
    const env = { DATABASE_URL: url, FRESHET_MIGRATE: 'false' }
    const { out } = await run(['doctor'], { env })
    expect(out).toContain('ok    pg_cron: it calls the clock every minute, from the database home')
    expect(out).toContain('ok    schedules: driven by pg_cron')
  }
})

test('a process that may not migrate shows that pg_cron drives', async () => {
  await using app = await start(away, { FRESHET_MIGRATE: 'false', FRESHET_ROLE: 'api' })
  expect(app.schedules).toBe('pg_cron, every minute; a worker takes over if it stops')
})

test('RULINGS 8: when pg_cron stops a worker takes over with an alert, and pg_cron takes it back', async () => {
  await query(home, "select cron.unschedule('freshet.away.tick')")
  await query(
    away,
    "update freshet.clock set driver = 'pg_cron', last_tick_at = now() - interval '151 seconds', lease_until = now() - interval '1 second'",
  )
  await using worker = await start(away, { FRESHET_MIGRATE: 'false', FRESHET_ROLE: 'worker' })
  expect(await driver(away)).toMatch(/^worker /)
  expect(await openAlerts(away)).toEqual(['CLOCK_TAKEN_OVER'])
  expect(worker.lines.join('')).toContain('this worker drives the schedules')
  expect((await lookAtPgCron(away)).job).toBeUndefined()
  await schedulePgCron(away)
  await until('pg_cron takes it back', () => pgCronDrives(away), minuteMs)
  expect(await openAlerts(away)).toEqual([])
  await until('the worker notices', () => worker.lines.join('').includes('another clock drives the schedules'))
})

test('the history of our calls is pruned once, from wherever pg_cron lives, and what a role may not do is told', async () => {
  await schedulePgCron(home)
  await query(home, 'truncate cron.job_run_details')
  const batch = { keep: '7 days', now: new Date('2020-01-08T00:00:00Z'), maxRows: 1 }
  for (const name of ['home', 'away'])
    for (const time of ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '2020-01-01T00:00:01Z'])
      await query(
        home,
        `insert into cron.job_run_details (database, command, end_time) values ('${name}', 'select freshet.tick()', '${time}')`,
      )
  expect(await prunePgCronHistory(home, batch)).toBe(0) // freshet.prune_cron_history does it there
  expect(await prunePgCronHistory(away, batch)).toBe(1)
  expect(await prunePgCronHistory(away, { ...batch, maxRows: 5 })).toBe(1)
  expect(await prunePgCronHistory(away, { ...batch, maxRows: 5 })).toBe(0)
  const left = `select database, count(*)::int from cron.job_run_details where end_time < '2021-01-01' group by 1 order by 1`
  expect(await query(home, left)).toEqual([
    { database: 'away', count: 1 },
    { database: 'home', count: 3 },
  ])
  await query(home, 'create role reader login in role pg_read_all_settings')
  const reader = away.replace('postgres@', 'reader@')
  await expect(prunePgCronHistory(reader, batch)).rejects.toThrow('permission denied for schema cron')
})

test('a role that may not use pg_cron is told why, and a worker drives', async () => {
  await query(home, 'create role plain login')
  const plain = (url: string) => url.replace('postgres@', 'plain@')
  await query(away, 'grant usage on schema freshet to plain')
  expect(await schedulePgCron(plain(away))).toEqual({
    reason: 'it is not in shared_preload_libraries, or this role may not read its settings (pg_read_all_settings)',
  })
  await query(home, 'grant pg_read_all_settings to plain')
  expect(await schedulePgCron(plain(away))).toEqual({ reason: 'permission denied for schema cron' })
  await query(home, 'grant usage on schema cron to plain')
  expect(await schedulePgCron(plain(away))).toEqual({
    reason: 'permission denied for function schedule_in_database',
  })
  await query(home, 'grant execute on function cron.schedule_in_database to plain')
  expect(await schedulePgCron(plain(away))).toEqual({ home: 'home' })
  expect(await query(home, "select username from cron.job where jobname = 'freshet.away.tick' order by 1")).toEqual([
    { username: 'plain' },
    { username: 'postgres' },
  ])
})

test('FRESHET_PG_CRON=false takes the job and the clock away, and a worker drives without an alert', async () => {
  await query(home, 'select freshet.tick()')
  await using app = await start(home, { FRESHET_PG_CRON: 'false' })
  expect(app.schedules).toBe("this process's own clock, every 5 s (pg_cron: FRESHET_PG_CRON is false)")
  expect((await jobs()).map(({ jobname }) => jobname)).not.toContain('freshet.home.tick')
  expect(await driver(home)).toMatch(/^worker /)
  expect(await openAlerts(home)).toEqual([])
  await unschedulePgCron(home)
})

test('a database without the home of pg_cron within reach is told so', async () => {
  const client = new pg.Client(admin)
  await client.connect()
  await client.query('alter database home allow_connections false')
  expect(await schedulePgCron(away)).toEqual({
    reason: expect.stringContaining('database "home" is not currently accepting connections') as unknown,
  })
  await client.query('alter database home allow_connections true')
  await client.end()
})
