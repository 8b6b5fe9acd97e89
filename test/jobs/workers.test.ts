import { systemClock, type Clock } from 'pg-boss'
import { afterAll, expect, test } from 'vitest'
import { runAttempt, type Claim } from '../../src/jobs/kit/attempt.ts'
import type { Job } from '../../src/jobs/kit.ts'
import { jobHandler } from '../../src/jobs/kit/workers.ts'
import { createLog } from '../../src/log.ts'
import { sendJob } from '../support/send-job.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectEnqueued, openJobs } from '../support/jobs.ts'
import { collectLines } from '../support/lines.ts'
import { until } from '../support/until.ts'
import { aJob } from './trial-job.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const stateOf = async (id: string | undefined) => {
  const text = 'select state, output, retry_count, retry_limit from pgboss.job where id = $1'
  return (await database.pool.query<Record<string, unknown>>(text, [id])).rows[0]
}
const connections = async () => {
  const text = "select from pg_stat_activity where datname = current_database() and application_name = 'freshet:queue'"
  return (await database.pool.query(text)).rowCount ?? 0
}
const never = new AbortController().signal
const log = createLog({ level: 'silent', destination: collectLines().stream })
const names = () =>
  `queue-${Math.random()
    .toString(36)
    .replace(/[^a-z]/g, '')}`

/** Handlers that run until they are let go. */
function heldJob(count: number) {
  const held: PromiseWithResolvers<object | undefined>[] = []
  const job = aJob(
    names(),
    async ({ stopping }) => {
      const gate = Promise.withResolvers<object | undefined>()
      held.push(gate)
      const result = await gate.promise
      if (!result) stopping.throwIfAborted()
      return result
    },
    { concurrency: count },
  )
  return { job, held }
}

test('an idle worker is woken by the enqueueing transaction, long before it would look', async () => {
  const started: number[] = []
  const job = aJob(names(), async () => void started.push(performance.now()))
  await using jobs = await openJobs(database, [job])
  await using _workers = await jobs.work()
  const delays: number[] = []
  for (let count = 1; count <= 20; count++) {
    await until('the worker idles', async () => jobs.observed.length === count - 1)
    const sent = performance.now()
    await sendJob(jobs.pool, job, { number: count })
    await until('it has begun', () => started.length === count)
    delays.push(started[count - 1]! - sent)
  }
  expect(delays.toSorted((a, b) => a - b)[10]).toBeLessThan(500) // polling alone would take 1 s on average
})

test.each([
  ['one by one', { concurrency: 2 }],
  ['in batches', { concurrency: 2, batchSize: 10 }],
])('a backlog of 300 jobs drains without a pause, %s', async (_how, options) => {
  const worked = new Set<number>()
  const job = aJob(names(), async ({ payload }) => void worked.add(payload.number), options)
  await using jobs = await openJobs(database, [job])
  await database.pool.query(
    `select freshet.enqueue_jobs($1, array(select jsonb_build_object('number', n) from generate_series(1, 300) n))`,
    [job.name],
  )
  expect((await jobs.drain(job)).length).toBe(300) // within 18 s; a pause of 2 s after each would take 300 s, after each batch 30 s
  expect(worked.size).toBe(300)
})

test('of a group with a limit of one, one job runs at a time; other groups go on beside it', async () => {
  const running: string[] = []
  const seen: string[] = []
  const gate = Promise.withResolvers<void>()
  const groups = ['a', 'a', 'b']
  const work = async (number: number) => {
    running.push(groups[number]!)
    seen.push(running.toSorted().join(''))
    if (seen.length < 3) await gate.promise
    running.splice(running.indexOf(groups[number]!), 1)
  }
  const options = { concurrency: 3, groupConcurrency: 1 as const }
  const job = aJob(names(), ({ payload }) => work(payload.number), options)
  await using jobs = await openJobs(database, [job])
  for (const [number, groupId] of groups.entries()) await sendJob(jobs.pool, job, { number }, { groupId })
  const drained = jobs.drain(job)
  await until('one of each is at work', () => running.length === 2)
  gate.resolve()
  expect(await drained).toEqual(['done', 'done', 'done'])
  expect(seen).toHaveLength(3)
  expect(seen.every((together) => !together.includes('aa'))).toBe(true)
})

test('one bad job of a batch is retried alone', async () => {
  const job = aJob(
    names(),
    async ({ payload }) => {
      if (payload.number === 3) throw new Error('not this one')
    },
    { batchSize: 10 },
  )
  await using jobs = await openJobs(database, [job])
  for (let number = 1; number <= 5; number++) await sendJob(jobs.pool, job, { number })
  expect((await jobs.drain(job)).toSorted()).toEqual(['done', 'done', 'done', 'done', 'retried'])
  await expectEnqueued(jobs.pool, job, { number: 3 })
})

test('a stop lets running jobs finish, begins no other, and tells them', async () => {
  const { job, held } = heldJob(2)
  await using jobs = await openJobs(database, [job])
  const workers = await jobs.work()
  const ids = await Promise.all([1, 2, 3].map((number) => sendJob(jobs.pool, job, { number })))
  await until('two are at work', () => held.length === 2)
  const stopped = workers[Symbol.asyncDispose]()
  for (const gate of held) gate.resolve({ finished: true })
  await stopped
  const states = await Promise.all(ids.map(async (id) => String((await stateOf(id))?.state)))
  expect(states.toSorted()).toEqual(['completed', 'completed', 'created'])
  expect(held.length).toBe(2)
  await until('no connection is left', async () => (await connections()) === 0)
})

test('a job that was fetched while the process began to stop is handed back unbegun', async () => {
  await using jobs = await openJobs(database, [])
  let isBegun = false
  const handler = jobHandler(aJob(names(), async () => void (isBegun = true)))
  const claim = { id: 'one', name: handler.name, data: { number: 1 }, retryCount: 0, signal: never } as Claim
  const parts = { services: jobs.services, log, clock: systemClock, deadline: never, stopping: AbortSignal.abort() }
  expect(await runAttempt(handler, claim, 2, parts)).toEqual({ kind: 'handed-back' })
  expect(isBegun).toBe(false)
})

test('a handler that reaches a safe point during a stop is handed back without costing an attempt', async () => {
  const { job, held } = heldJob(1)
  await using jobs = await openJobs(database, [job])
  const workers = await jobs.work()
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await until('it is at work', () => held.length === 1)
  const stopped = workers[Symbol.asyncDispose]()
  held[0]?.resolve(undefined)
  await stopped
  expect(await stateOf(id)).toMatchObject({ state: 'retry', retry_count: 0, retry_limit: 3 })
  const attempts: number[] = []
  const after = aJob(job.name, async ({ attempt }) => void attempts.push(attempt))
  await jobs.drain(after)
  expect(attempts).toEqual([1])
})

test('R7: what still runs at the deadline is handed back, its handler told, and the stop takes no longer', async () => {
  const signals: AbortSignal[] = []
  const job = aJob(
    names(),
    async ({ signal }) => {
      signals.push(signal)
      await new Promise(() => {})
    },
    { concurrency: 5 },
  )
  await using jobs = await openJobs(database, [job], { env: { FRESHET_SHUTDOWN_SECONDS: '1' } })
  const workers = await jobs.work()
  const ids = await Promise.all([1, 2, 3, 4, 5].map((number) => sendJob(jobs.pool, job, { number })))
  await until('all are at work', () => signals.length === 5)
  const started = performance.now()
  await workers[Symbol.asyncDispose]()
  expect(performance.now() - started).toBeLessThan(3_000)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true, true])
  for (const id of ids) expect(await stateOf(id)).toMatchObject({ state: 'retry', retry_count: 0, retry_limit: 3 })
})

test('R7: a stop waits 1 s, no more, for a database that does not take back what is handed back', async () => {
  const { job, held } = heldJob(1)
  await using jobs = await openJobs(database, [job], { env: { FRESHET_SHUTDOWN_SECONDS: '1' } })
  const workers = await jobs.work()
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await until('it is at work', () => held.length === 1)
  const holder = await database.pool.connect()
  await holder.query('begin')
  await holder.query('select from pgboss.job where id = $1 for update', [id])
  const started = performance.now()
  await workers[Symbol.asyncDispose]()
  expect(performance.now() - started).toBeLessThan(4_000) // 1 s to finish, 1 s to hand back, 1 s to close
  await holder.query('rollback')
  holder.release()
  await until('it is handed back', async () => (await stateOf(id))?.state === 'retry')
})

test('lost connections end neither the process nor the work', async () => {
  const worked: number[] = []
  const job = aJob(names(), async ({ payload }) => void worked.push(payload.number))
  await using jobs = await openJobs(database, [job])
  await using _workers = await jobs.work()
  await until('it is connected', async () => (await connections()) > 0)
  await database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'freshet:queue'",
  )
  await sendJob(database.pool, job, { number: 1 })
  await until('the job is worked', () => worked.length === 1)
  expect(jobs.log.filter((line) => line.includes('"level":"error"'))).toEqual([])
})

test('an attempt that has ended leaves no timer behind', async () => {
  const timers = new Set<unknown>()
  const clock: Clock = {
    ...systemClock,
    setTimeout(work, ms) {
      const timer = systemClock.setTimeout(work, ms)
      timers.add(timer)
      return timer
    },
    clearTimeout(timer) {
      timers.delete(timer)
      systemClock.clearTimeout(timer)
    },
  }
  const claim = { id: 'one', name: 'timed', data: { number: 1 }, retryCount: 0, signal: never } as Claim
  await using jobs = await openJobs(database, [])
  const attempt = (job: Job<{ number: number }>) => {
    const parts = { services: jobs.services, log, clock, stopping: never, deadline: never }
    return runAttempt(jobHandler(job), claim, 2, parts)
  }
  const gate = Promise.withResolvers<void>()
  const held = attempt(aJob('timed', () => gate.promise))
  expect(timers.size).toBe(1)
  gate.resolve()
  expect(await held).toMatchObject({ kind: 'done' })
  expect(timers.size).toBe(0)
  expect(await attempt(aJob('timed', () => Promise.reject(new Error('no luck'))))).toMatchObject({ kind: 'retried' })
  expect(timers.size).toBe(0)
})

test('perform runs a handler once and answers how it ended', async () => {
  const job = aJob('performed', async ({ payload, attempt }) => ({ payload, attempt }))
  await using jobs = await openJobs(database, [])
  expect(await jobs.perform(job, { number: 4 })).toEqual({
    kind: 'done',
    output: { payload: { number: 4 }, attempt: 1 },
  })
  expect(await jobs.perform(job, { number: 'four' } as never)).toMatchObject({
    kind: 'failed',
    failure: { code: 'JOB_PAYLOAD_INVALID' },
  })
})

test('RULINGS 60, the one real wait: a job of a worker that fell silent is redelivered by the supervisor', async () => {
  const attempts: number[] = []
  const job = aJob(names(), async ({ attempt }) => void attempts.push(attempt))
  await using jobs = await openJobs(database, [job])
  const silent = await jobs.work([])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await silent.boss.fetch(job.name) // claims and never speaks of it again, as after kill -9
  await silent[Symbol.asyncDispose]()
  const killed = performance.now()
  await using _workers = await jobs.work()
  await until('it is redelivered', async () => (await stateOf(id))?.state === 'completed', 30_000)
  expect(attempts).toEqual([2])
  expect(performance.now() - killed).toBeLessThan(30_000)
}, 40_000)
