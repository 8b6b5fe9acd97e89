import { afterAll, expect, test } from 'vitest'
import { connectPrisma } from '../../../src/db/prisma.ts'
import { connectRun, takeRunLock } from '../../../src/db/run-lock.ts'
import type { Actor } from '../../../src/domain/access/actor.ts'
import { cancelJob, deleteJob, retryJob } from '../../../src/domain/queue/operate.ts'
import { createLog, withLogFields } from '../../../src/log.ts'
import { executeRun } from '../../../src/domain/runs/execute-run.ts'
import { cloneDatabase } from '../../support/database.ts'
import { makeJob, makeQueue } from '../../support/queue.ts'
import { call, startRun } from '../../support/runs.ts'
import { until } from '../../support/until.ts'
import { nothing, runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const { aRun, isFree } = runStand(database)
const db = connectPrisma(pool)
const actor: Actor = { keyId: null, name: 'an operator', scopes: new Set(['OPERATE']), requestId: 'a-request' }
const occasion = { now: () => new Date(), log: createLog({ level: 'silent' }) }
const queue = 'taken'
await makeQueue(pool, queue)
const aClaim = () => makeJob(pool, queue, { state: 'active', started_on: new Date() })

test('RULINGS 1: a job that is cancelled between its claim and the start of its run never gets one', async () => {
  const jobId = await aClaim()
  const { tryRun, find, lockKey, run } = aRun({ jobId })
  await cancelJob(db, actor, { queue, id: jobId }, occasion)
  let isWorked = false
  expect(await tryRun(async () => void (isWorked = true))).toBe('taken-away')
  expect([isWorked, await find(), await isFree(lockKey)]).toEqual([false, undefined, true])

  const again = await retryJob(db, actor, { queue, id: jobId })
  await pool.query("update pgboss.job set state = 'active' where name = $1 and id = $2", [queue, again.id])
  expect(await aRun({ jobId: again.id, lock: run.lock }).tryRun(nothing)).toBe('finished')
})

test('RULINGS 1: a job that is deleted between its claim and the start of its run never gets one', async () => {
  const jobId = await aClaim()
  const { services, run, find } = aRun({ jobId })
  await deleteJob(db, actor, { queue, id: jobId }, occasion)
  const never = new AbortController().signal
  const job = { ...services, isLastAttempt: false, signal: never, stopping: never }
  expect(await withLogFields({ jobId }, () => executeRun(run, job, nothing))).toBe('taken-away')
  expect(await find()).toBeUndefined()
})

test('RULINGS 1: cancelling waits for a run that is just being started, and ends it', async () => {
  const jobId = await aClaim()
  const starting = await pool.connect()
  await starting.query('begin')
  const { id } = await startRun(starting, { jobId })
  const cancelled = cancelJob(db, actor, { queue, id: jobId }, occasion)
  const waits = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%stop_job%'"
  await until('the cancellation waits', async () => (await pool.query(waits)).rowCount === 1)
  await starting.query('commit')
  starting.release()
  await cancelled
  const { rows } = await pool.query('select status, error_code from freshet.runs where id = $1', [id])
  expect(rows).toEqual([{ status: 'FAILED', error_code: 'CANCELLED_BY_OPERATOR' }])
})

test.for(['created', 'retry', 'completed', 'cancelled', 'failed'])(
  'RULINGS 1: an attempt whose job is %s starts no run',
  async (state) => {
    const jobId = await makeJob(pool, queue, { state })
    await expect(startRun(pool, { jobId })).rejects.toMatchObject({
      code: 'FR023',
      message: 'The job of this attempt was taken away.',
      detail: `Job ${jobId} is ${state}.`,
    })
  },
)

test('RULINGS 1: the repeated job waits for the lock of an attempt that can start no run any more', async () => {
  const jobId = await aClaim()
  const { services, run } = aRun({ jobId })
  const { lockClass, lockId } = run.lock
  await using connection = await connectRun(database.url, jobId, services.log)
  await takeRunLock(connection, run.lock)
  const other = '00000000-0000-4000-8000-000000000009'
  expect(await call(pool, 'run_lock_holder', lockClass, lockId, other)).toBe('OTHER')
  await cancelJob(db, actor, { queue, id: jobId }, occasion)
  expect(await call(pool, 'run_lock_holder', lockClass, lockId, other)).toBe('ENDING')
  // Taken by the supervisor, not by an operator: its time was over, or its worker was thought dead.
  for (const state of ['retry', 'failed']) {
    await pool.query('update pgboss.job set state = $2 where id = $1', [jobId, state])
    expect(await call(pool, 'run_lock_holder', lockClass, lockId, other)).toBe('ENDING')
  }
})
