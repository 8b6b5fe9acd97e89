import { createHash } from 'node:crypto'
import { TestClock } from 'pg-boss'
import { afterAll, expect, test, vi } from 'vitest'
import { sendJob } from '../support/send-job.ts'
import { PermanentError, SnoozeJob } from '../../src/domain/queue/job-error.ts'
import type { JobContext } from '../../src/jobs/kit.ts'
import { cloneDatabase } from '../support/database.ts'
import { advance, openJobs } from '../support/jobs.ts'
import { startRunOf } from '../support/queue.ts'
import { until } from '../support/until.ts'
import { aJob } from './trial-job.ts'

type Context = JobContext<{ number: number }>
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const stateOf = async (id: string | undefined) => {
  const text = 'select state, output, retry_count, retry_limit from pgboss.job where id = $1'
  return (await database.pool.query<Record<string, unknown>>(text, [id])).rows[0]
}
/** What a worker leaves behind that was killed: a claim whose heart no longer beats. */
const killWorkerOf = (id: string | undefined) =>
  database.pool.query("update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour' where id = $1", [id])

test('a handler whose job was taken from it is told by its signal, and its end changes nothing', async () => {
  const attempts: Context[] = []
  const held = Promise.withResolvers<object>()
  const job = aJob('taken', async (context) => {
    attempts.push(context)
    return context.attempt === 1 ? held.promise : { by: 'the second' }
  })
  const clock = new TestClock()
  await using jobs = await openJobs(database, [job], { clock })
  await using workers = await jobs.work()
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await until('it is at work', () => attempts.length === 1)
  await killWorkerOf(id)
  await workers.boss.supervise(job.name)
  await advance(clock, 6) // the heartbeat of 5 s finds the claim gone
  await until('the second attempt has ended', async () => (await stateOf(id))?.state === 'completed')
  expect(attempts[0]?.signal.aborted).toBe(true)
  expect(attempts[0]?.signal.reason).toMatchObject({ message: expect.stringContaining('no longer active') as string })
  held.resolve({ by: 'the first' })
  await clock.tick(0)
  expect(await stateOf(id)).toMatchObject({ state: 'completed', output: { by: 'the second' }, retry_count: 1 })
  expect(jobs.observed.map(({ outcome }) => outcome).toSorted()).toEqual(['done', 'lost'])
})

test('a job whose worker was killed is given to another at once; three deaths are the final failure, told once', async () => {
  const failures: object[] = []
  const job = aJob('killed', async () => {}, {
    onFinalFailure: async ({ error, attempts, payload }) => void failures.push({ error, attempts, payload }),
  })
  const clock = new TestClock()
  await using jobs = await openJobs(database, [job], { clock })
  const workers = await jobs.work([]) // supervises and fetches nothing
  const id = await sendJob(jobs.pool, job, { number: 7 })
  for (const count of [0, 1, 2]) {
    const [claim] = await workers.boss.fetch(job.name)
    expect(claim).toMatchObject({ id, retryCount: count })
    await killWorkerOf(id)
    await advance(clock, 5) // the supervisor's next look
  }
  expect(await stateOf(id)).toMatchObject({ state: 'failed' })
  await workers[Symbol.asyncDispose]()
  await jobs.drain(job)
  await jobs.drain(job)
  expect(failures).toEqual([
    {
      error: { code: 'WORKER_LOST', message: 'job heartbeat timeout', hint: null },
      attempts: 3,
      payload: { number: 7 },
    },
  ])
})

test('what a snoozed attempt still sends cannot touch the attempt after it, nor anything a cancelled job', async () => {
  const job = aJob('fenced')
  await using jobs = await openJobs(database, [job])
  await using workers = await jobs.work([])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  const [first] = await workers.boss.fetch(job.name)
  const settle = async (name: string, retryCount: number, more: string) => {
    const text = `select freshet.${name}_job('fenced', $1, $2, ${more}) as was_ours`
    return (await jobs.pool.query<{ was_ours: boolean }>(text, [id, retryCount])).rows[0]?.was_ours
  }
  expect(await settle('snooze', 0, "interval '0', null")).toBe(true)
  const [second] = await workers.boss.fetch(job.name)
  expect([first?.retryCount, second?.retryCount]).toEqual([0, 1])
  expect(await settle('snooze', 0, "interval '0', null")).toBe(false)
  expect(await settle('retry', 0, "interval '0', null")).toBe(false)
  expect(await settle('cancel', 0, 'null')).toBe(false)
  expect(await settle('complete', 0, 'null')).toBe(false)
  expect(await workers.boss.complete(job.name, { id: id!, retryCount: 0 })).toMatchObject({ affected: 0 })
  expect(await stateOf(id)).toMatchObject({ state: 'active', retry_count: 1, retry_limit: 3 })
  expect(await settle('cancel', 1, 'null')).toBe(true)
  for (const name of ['snooze', 'retry'] as const) expect(await settle(name, 1, "interval '0', null")).toBe(false)
  for (const name of ['cancel', 'complete'] as const) expect(await settle(name, 1, 'null')).toBe(false)
  expect(await stateOf(id)).toMatchObject({ state: 'cancelled', retry_count: 1, retry_limit: 3 })
})

test('a job that is put back for longer than its queue keeps waiting jobs is still there when its time comes', async () => {
  const job = aJob('long-snooze')
  await using jobs = await openJobs(database, [job])
  await using workers = await jobs.work([])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await workers.boss.fetch(job.name)
  await jobs.pool.query("select freshet.snooze_job('long-snooze', $1, 0, interval '60 days', null)", [id])
  const text = `select extract(epoch from j.keep_until - j.start_after)::int = q.retention_seconds as is_kept
    from pgboss.job j join pgboss.queue q using (name) where j.id = $1`
  expect((await jobs.pool.query(text, [id])).rows).toEqual([{ is_kept: true }])
})

test.each([
  ['at once wakes the workers of its queue', 0, ['woken']],
  ['for a second wakes nobody', 1, []],
])('a job that is put back %s', async (_what, seconds, told) => {
  const job = aJob('woken')
  await using jobs = await openJobs(database, [job])
  await using workers = await jobs.work([])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  const [claim] = await workers.boss.fetch(job.name)
  expect(claim?.id).toBe(id)
  const client = await database.pool.connect()
  const heard: string[] = []
  client.on('notification', ({ payload = '' }) => heard.push(payload))
  await client.query(`listen pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`)
  await client.query("select freshet.snooze_job('woken', $1, 0, make_interval(secs => $2), null)", [id, seconds])
  await client.query('select 1') // what was told came with the answer before this one
  client.release(true)
  expect(heard).toEqual(told)
  await jobs.pool.query("delete from pgboss.job where name = 'woken'")
})

test('a final failure that cannot be told is told later, and what it wrote before is undone', async () => {
  let calls = 0
  const job = aJob('untold', async () => Promise.reject(new Error('never')), {
    retryDelays: [],
    onFinalFailure: async ({ tx }) => {
      await tx.query("insert into freshet.retailers (slug, name) values ('told', 'Told')")
      if (++calls === 1) throw new Error('the other side is away')
    },
  })
  const clock = new TestClock()
  await using jobs = await openJobs(database, [job], { clock })
  await using _workers = await jobs.work()
  await sendJob(jobs.pool, job, { number: 1 })
  await until('the first try was made', async () => {
    await advance(clock, 2)
    return calls === 1
  })
  const told = async () => (await database.pool.query("select from freshet.retailers where slug = 'told'")).rowCount
  expect(await told()).toBe(0)
  await until('it is told', async () => {
    await advance(clock, 2)
    return (await told()) === 1
  })
  await advance(clock, 60)
  expect(calls).toBe(2)
})

test('a dead letter that is taken away while it is told takes what was written with it', async () => {
  let calls = 0
  const job = aJob('withdrawn', async () => Promise.reject(new Error('never')), {
    retryDelays: [],
    onFinalFailure: async ({ tx }) => {
      calls++
      await tx.query("insert into freshet.retailers (slug, name) values ('withdrawn', 'Withdrawn')")
      await database.pool.query("update pgboss.job set state = 'cancelled' where name = 'withdrawn-dead'")
    },
  })
  await using jobs = await openJobs(database, [job])
  await sendJob(jobs.pool, job, { number: 1 })
  await jobs.drain(job)
  expect(calls).toBe(1)
  expect((await database.pool.query("select from freshet.retailers where slug = 'withdrawn'")).rowCount).toBe(0)
  await until('it is said', () => jobs.log.some((line) => line.includes('The dead letter was taken away')))
})

test('a database that stops while the end of an attempt is written costs the job no attempt', async () => {
  const job = aJob('outage', async ({ services: { pool } }) => {
    const stopped = Object.assign(new Error('terminating connection'), { code: '57P01' })
    vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(stopped))
    throw new SnoozeJob(3_600, 'another run holds the lock')
  })
  await using jobs = await openJobs(database, [job])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  expect(await jobs.drain(job)).toEqual(['snoozed'])
  const snoozed = { output: { snoozed: 'another run holds the lock' }, state: 'retry', retry_count: 0, retry_limit: 3 }
  expect(await stateOf(id)).toEqual(snoozed)
})

test('an attempt whose end could not be written is tried again, not taken for done', async () => {
  const attempts: number[] = []
  const job = aJob('unwritten', async ({ attempt, services: { pool } }) => {
    attempts.push(attempt)
    if (attempt > 1) return
    const refused = Object.assign(new Error('function does not exist'), { code: '42883' })
    vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(refused))
    throw new SnoozeJob(3_600, 'another run holds the lock')
  })
  await using jobs = await openJobs(database, [job])
  await sendJob(jobs.pool, job, { number: 1 })
  await jobs.drain(job)
  expect(attempts).toEqual([1, 2])
})

test('RULINGS 1: the dead letter fails the run that the job still has', async () => {
  const job = aJob('with-run', async () => Promise.reject(new Error('the line went dead')), { retryDelays: [] })
  await using jobs = await openJobs(database, [job])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await startRunOf(database.pool, id ?? '', { trigger: 'MANUAL' })
  expect(await jobs.drain(job)).toEqual(['failed'])
  const text = 'select status, error_code, error_message from freshet.runs where job_id = $1'
  expect((await database.pool.query(text, [id])).rows).toEqual([
    { status: 'FAILED', error_code: 'UNEXPECTED_ERROR', error_message: 'the line went dead' },
  ])
})

test('RULINGS 16: the dead letter counts no end that the error did not count', async () => {
  const error = new PermanentError('The feed is paused.', { code: 'SLACK_REFUSED', isCounted: false })
  const job = aJob('with-uncounted-run', () => Promise.reject(error))
  await using jobs = await openJobs(database, [job])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await startRunOf(database.pool, id ?? '', { trigger: 'MANUAL' })
  expect(await jobs.drain(job)).toEqual(['failed'])
  const text = 'select error_code, is_counted from freshet.runs where job_id = $1'
  expect((await database.pool.query(text, [id])).rows).toEqual([{ error_code: 'SLACK_REFUSED', is_counted: false }])
})
