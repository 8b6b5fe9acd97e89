import { TestClock } from 'pg-boss'
import { afterAll, expect, test } from 'vitest'
import { connectRun, takeRunLock } from '../../src/db/run-lock.ts'
import type { Actor } from '../../src/domain/access/actor.ts'
import { sendJob } from '../support/send-job.ts'
import { cancelJob, redriveQueue } from '../../src/domain/queue/operate.ts'
import { PermanentError } from '../../src/domain/queue/job-error.ts'
import { cloneDatabase } from '../support/database.ts'
import { advance, openJobs } from '../support/jobs.ts'
import { jobsIn } from '../support/queue.ts'
import { startRun, storedRun } from '../support/runs.ts'
import { until } from '../support/until.ts'
import { aJob } from './trial-job.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const actor: Actor = { keyId: null, name: 'an operator', scopes: new Set(['OPERATE']), requestId: 'a-request' }

test('issue 4 §1: a handler at work on a cancelled job is told within the heartbeat and can write nothing more', async () => {
  const work = { signal: undefined as AbortSignal | undefined, runId: '', write: undefined as unknown }
  const job = aJob('cancelled', async ({ jobId, signal, services, log }) => {
    await using connection = await connectRun(services.directUrl, jobId, log)
    await takeRunLock(connection, { lockClass: 4620, lockId: 77 })
    const run = await startRun(connection.client, { jobId, lock: [4620, 77] })
    Object.assign(work, { signal, runId: run.id })
    const told = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => told.resolve())
    await told.promise
    const stage = 'select freshet.set_run_stage($1, 1, $2, now())'
    work.write = await connection.client.query(stage, [run.id, 'WRITE']).catch((error: unknown) => error)
  })
  const clock = new TestClock()
  await using jobs = await openJobs(database, [job], { clock })
  await using _workers = await jobs.work()
  const id = (await sendJob(jobs.pool, job, { number: 1 })) ?? ''
  await until('it is at work', () => work.runId !== '')

  await cancelJob(jobs.services.db, actor, { queue: job.name, id }, { now: jobs.services.now, log: jobs.logger })
  expect((await storedRun(database.pool, work.runId)).run).toMatchObject({
    status: 'FAILED',
    error_code: 'CANCELLED_BY_OPERATOR',
    is_counted: false,
    stage: null,
  })
  const told = jobs.log.map((line) => JSON.parse(line) as object).filter((line) => 'event' in line)
  const ended = { event: 'RUN_FAILED', runId: work.runId, runAttempt: 1, jobId: id, code: 'CANCELLED_BY_OPERATOR' }
  expect(told.at(-1)).toMatchObject({ ...ended, error: 'An operator cancelled the run.', stage: null })
  await advance(clock, 10) // the heartbeat
  await until('the handler was told', () => work.signal?.aborted === true)
  await until('its writing was tried', () => work.write !== undefined)
  expect(work.write).toBeInstanceOf(Error)
  expect((await storedRun(database.pool, work.runId)).run).toMatchObject({ status: 'FAILED', stage: null })
  expect(await jobsIn(database.pool, job.name)).toMatchObject([{ id, state: 'cancelled' }])
  expect(await jobsIn(database.pool, `${job.name}-dead`)).toEqual([])
})

test('a dead letter that the kit has told of goes back and is worked as a new job', async () => {
  const seen: string[] = []
  const told: string[] = []
  const job = aJob(
    'redriven',
    async ({ jobId }) => {
      seen.push(jobId)
      if (seen.length === 1) throw new PermanentError('The file is gone.', { code: 'SLACK_WEBHOOK_GONE' })
    },
    { onFinalFailure: async ({ jobId }) => void told.push(jobId) },
  )
  await using jobs = await openJobs(database, [job])
  const id = await sendJob(jobs.pool, job, { number: 1 })
  await jobs.drain(job)
  expect([seen, told]).toEqual([[id], [id]])
  expect(await redriveQueue(jobs.services.db, actor, job.name, 10)).toBe(1)
  await jobs.drain(job)
  expect(seen).toHaveLength(2)
  expect(seen[1]).not.toBe(id)
  expect(told).toEqual([id])
  expect((await jobsIn(database.pool, job.name)).map(({ state }) => state)).toEqual(['cancelled', 'completed'])
})
