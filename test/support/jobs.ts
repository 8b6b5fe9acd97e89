import pg from 'pg'
import { systemClock, type Clock, type TestClock } from 'pg-boss'
import { expect } from 'vitest'
import { readConfig, type Environment } from '../../src/config.ts'
import { connectPrisma } from '../../src/db/prisma.ts'
import { queryRows, type Sql } from '../../src/db/sql.ts'
import type { JobType } from '../../src/domain/queue/enqueue.ts'
import { deadQueueOf, type Job, type Services } from '../../src/jobs/kit.ts'
import { runAttempt, type Claim } from '../../src/jobs/kit/attempt.ts'
import type { Outcome } from '../../src/jobs/kit/outcome.ts'
import { prepareQueues } from '../../src/jobs/kit/prepare.ts'
import { jobHandler, startWorkers, type Observation } from '../../src/jobs/kit/workers.ts'
import { createLog, withLogFields } from '../../src/log.ts'
import type { TestDatabase } from './database.ts'
import { collectLines } from './lines.ts'
import { putToWork } from './runs.ts'
import { until } from './until.ts'

/** What the jobs of a test work with: a database, its queues, and the ways to run them. */
export async function openJobs(
  database: TestDatabase,
  jobs: Job[],
  {
    clock = systemClock,
    env = {},
    now = () => new Date(clock.now()),
  }: { clock?: Clock | undefined; env?: Environment; now?: (() => Date) | undefined } = {},
) {
  await prepareQueues(database.pool, jobs)
  // Its connections follow a test's clock, where there is one, as pg-boss's own do.
  const pool = new pg.Pool({ connectionString: database.url, max: 10, options: '-c pgboss.test_clock=on' })
  pool.on('error', () => {})
  const { config } = readConfig({ FRESHET_SHUTDOWN_SECONDS: '5', ...env }, { forServer: false })
  const services: Services = { pool, db: connectPrisma(pool), directUrl: database.url, config, now }
  const { lines, stream } = collectLines()
  const log = createLog({ level: 'debug', destination: stream })
  const observed: Observation[] = []
  const work = (which: Job[] = jobs) =>
    startWorkers({ services, log, jobs: which, clock, observe: (one) => void observed.push(one) })

  return {
    services,
    pool,
    log: lines,
    logger: log,
    observed,
    /** Workers of these queues, until disposed of. */
    work,
    /** Runs a job's handler once, as a worker would on the first attempt, without its queue; answers how it ended. */
    async perform<Payload>(job: Job<Payload>, payload: NoInfer<Payload>): Promise<Outcome> {
      const never = new AbortController().signal
      const { retryDelays } = job.options
      const claim = {
        id: '00000000-0000-4000-8000-000000000001',
        name: job.name,
        data: JSON.parse(JSON.stringify(payload)) as unknown,
        retryCount: 0,
        signal: never,
      } as Claim
      await putToWork(pool, claim.id) // where the job is a run, that begins only for a job at work
      const handler = jobHandler(job)
      const parts = { services, log, clock, stopping: never, deadline: never }
      return withLogFields(handler.names(claim), () => runAttempt(handler, claim, retryDelays.length, parts))
    },
    /** Works a queue, and its dead letters, until nothing in it is due; answers how the attempts ended. */
    async drain(job: Job, deadlineMs = 18_000): Promise<Observation['outcome'][]> {
      const from = observed.length
      const names = [job.name, deadQueueOf(job.name)]
      // Not job_now(): it tells when the statement began, and what the statement sees may have been enqueued since.
      const present = clock === systemClock ? 'clock_timestamp()' : 'pgboss.job_now()'
      const due = `select from pgboss.job where name = any($1) and state <= 'active' and start_after <= ${present}`
      await using _workers = await work([job])
      await until(`${job.name} is drained`, async () => (await pool.query(due, [names])).rowCount === 0, deadlineMs)
      return observed.slice(from).flatMap(({ queue, outcome }) => (queue === job.name ? [outcome] : []))
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Fails unless exactly one job with this payload waits in its queue, as seen by this transaction; answers its row. */
export async function expectEnqueued<Payload>(tx: Sql, { name }: JobType<Payload>, payload: NoInfer<Payload>) {
  const text = "select * from pgboss.job where name = $1 and state in ('created', 'retry') order by created_on"
  const rows = await queryRows<{ id: string; data: unknown; start_after: Date }>(tx, text, [name])
  const wanted = JSON.parse(JSON.stringify(payload)) as unknown
  expect(rows.map(({ data }) => data)).toContainEqual(wanted)
  const found = rows.filter(({ data }) => JSON.stringify(data) === JSON.stringify(wanted))
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0] ?? rows[0]!
}

/** Moves a test's clock, pg-boss's timers and `pgboss.job_now()` with it, forward by this much. */
export const advance = (clock: TestClock, seconds: number): Promise<void> => clock.tick(seconds * 1000)
