import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import { encodeId } from '../../src/schema/global-id.ts'
import { createLog } from '../../src/log.ts'
import { collectLines } from '../support/lines.ts'
import { runEvents, subscribe } from '../support/subscribe.ts'
import { until } from '../support/until.ts'
import { report, seededRandom } from './seed.ts'
import { readTrials, trial } from './trial-run.ts'

// The trial has twenty retries, not the two of RULINGS 6, on purpose: an outage comes every 5 to 10 s, so three attempts
// could all meet one, and a run that failed for good would hide whether the others lose anything.

/** Ten minutes, as R2 has it; a shorter time for a look in passing. */
const seconds = Number(process.env.FRESHET_FAULT_SECONDS ?? 600)
const longMs = 600_000

const dir = await mkdtemp(join(tmpdir(), 'freshet-outage-'))
await chmod(dir, 0o755)
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Follows all events for as long as the server lives, and resumes behind the last cursor after each break. */
function follow(endpoint: string, key: string) {
  const seen: string[] = []
  let cursor: string | undefined
  let breaks = 0
  let isOver = false
  const following = (async () => {
    for (;;) {
      const { messages, errors, over, leave } = subscribe(endpoint, key, runEvents, { after: cursor })
      let taken = 0
      const take = () => {
        for (; taken < messages.length; taken++) {
          const message = messages[taken]!
          if (message.cursor) cursor = String(message.cursor)
          if (message.__typename === 'RunEvent') seen.push(`${String(message.runId)}:${String(message.number)}`)
        }
      }
      // Whichever comes first: the stream breaks, it ends with an error, or all is over.
      const broken = over.catch(() => {}).then(() => 'broken')
      for (;;) {
        const what = await Promise.race([broken, pause(50)])
        take()
        if (isOver || what === 'broken' || errors.length > 0) break
      }
      leave()
      take()
      if (isOver) return
      breaks++
      await pause(200)
    }
  })()
  return {
    seen,
    async stop() {
      isOver = true
      await following
      return breaks
    },
  }
}

test(
  'R2: Postgres is stopped at once again and again, with runs and a subscriber at work',
  async () => {
    const uncaught: unknown[] = []
    const note = (error: unknown) => void uncaught.push(error)
    for (const kind of ['uncaughtException', 'unhandledRejection']) process.on(kind, note)
    onTestFinished(() => {
      for (const kind of ['uncaughtException', 'unhandledRejection']) process.off(kind, note)
    })
    const random = seededRandom('R2', 2)
    const { stream } = collectLines()
    const env = { PORT: '0', FRESHET_DATA_DIR: dir, FRESHET_PG_CRON: 'false' }
    const { config } = readConfig(env)
    await using database = await openDatabase(config)
    const log = createLog({ level: 'info', destination: stream })
    await using app = await startApp({ config, database, log, jobs: [trial] })
    const pool = new pg.Pool({ connectionString: database.url, max: 2 })
    pool.on('error', () => {})
    await using _pool = { [Symbol.asyncDispose]: () => pool.end() }
    const again = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
      until(
        text,
        () =>
          pool.query<Row>(text, values).then(
            ({ rows }) => rows,
            () => undefined,
          ),
        longMs,
      )
    const dataDir = (await again<{ dir: string }>("select current_setting('data_directory') as dir"))[0]!.dir

    const follower = follow(`${app.url}/graphql`, app.firstKey!)
    await until('it follows', async () =>
      (await (await fetch(`${app.url}/metrics`)).text()).includes('freshet_subscribers 1'),
    )
    let [stops, jobs] = [0, 0]
    const end = performance.now() + seconds * 1_000
    let nextStop = performance.now() + 5_000
    while (performance.now() < end) {
      // One number each: a statement that was lost may have been done, and is then not asked for twice.
      const number = jobs + 1
      await again(
        "select freshet.enqueue('trial', jsonb_build_object('number', $1::int)) where not exists (select from pgboss.job where name = 'trial' and data ->> 'number' = $1::text)",
        [number],
      )
      jobs = number
      if (performance.now() > nextStop) {
        const [pid] = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
        if (pid) process.kill(Number(pid), 'SIGQUIT') // what pg_ctl calls immediate
        stops++
        nextStop = performance.now() + 5_000 + random() * 5_000
      }
      await pause(300)
    }
    const open =
      "select 1 from pgboss.job where name = 'trial' and state < 'completed' union all select 1 from freshet.runs where status = 'RUNNING'"
    await until('all runs have ended', async () => (await again(open)).length === 0, longMs)
    const runs = await again<{ id: string; events: number; is_equal: boolean }>(readTrials)
    const wanted = runs.flatMap(({ id, events }) =>
      Array.from({ length: events }, (_, index) => `${encodeId('FeedRun', id)}:${index + 1}`),
    )
    await until('the follower has all', () => new Set(follower.seen).size >= wanted.length, 60_000).catch(() => {})
    const breaks = await follower.stop()
    const seen = new Set(follower.seen)
    const figures = {
      seconds,
      stops,
      jobs,
      runs: runs.length,
      unequal: runs.filter(({ is_equal }) => !is_equal).length,
      events: wanted.length,
      lost: wanted.filter((event) => !seen.has(event)).length,
      twice: follower.seen.length - seen.size,
      breaks,
    }
    report('R2', figures)
    expect(stops).toBeGreaterThan(seconds / 15)
    expect(figures).toMatchObject({ runs: jobs, unequal: 0, lost: 0, twice: 0 })
    expect(uncaught).toEqual([])
  },
  2 * longMs,
)
