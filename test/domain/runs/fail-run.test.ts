import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { inTransaction } from '../../../src/db/transaction.ts'
import { queryRows } from '../../../src/db/sql.ts'
import { cancelRunOfJob, failRunOfJob } from '../../../src/domain/runs/fail-run.ts'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { startRun, noCounters } from '../../support/runs.ts'
import { nothing, pidOf, runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const { aRun, isFree, untilGone } = runStand(database)
const failure = { code: 'JOB_DIED', message: 'The worker was killed.' }
const forever = () => new Promise<never>(() => {})

/** A run whose only attempt hangs in the middle of a transaction, and the error that this attempt ends with. */
async function aHangingRun() {
  const run = aRun()
  const { promise: isAtWork, resolve: atWork } = Promise.withResolvers<number | undefined>()
  const error = run
    .tryRun(async (context) => {
      const pid = await pidOf(context)
      await queryRows(context.sql, 'begin')
      await context.progress({ rows: 1 })
      atWork(pid)
      await forever()
    })
    .catch((why: unknown) => why)
  return { ...run, pid: await isAtWork, error }
}

test('RULINGS 1: the run of a job without attempts left is failed under its lock, which is free afterwards', async () => {
  const { run, services, tryRun, stored, lockKey } = aRun()
  await expect(tryRun(() => Promise.reject(new Error('a hiccup')))).rejects.toThrow('a hiccup')
  expect(await failRunOfJob(run.jobId, { ...failure, hint: 'Give it more memory.' }, services)).toBe(true)
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    error_code: 'JOB_DIED',
    error_message: 'The worker was killed.',
    error_hint: 'Give it more memory.',
    is_counted: true,
    attempt: 1,
  })
  expect(await isFree(lockKey)).toBe(true)
})

test('RULINGS 1: what is left of the last attempt is ended before its run is failed', async () => {
  const { run, services, stored, pid, error } = await aHangingRun()
  expect(await failRunOfJob(run.jobId, { ...failure, hint: null }, services)).toBe(true)
  expect(await error).toMatchObject({ name: 'RunConnectionLost' })
  await untilGone(pid)
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    counters: noCounters,
    error_hint: 'See the log of this job. If what was wrong is over, start the run again.',
  })
})

test('RULINGS 1: on a run that has ended nothing happens, nor where there is no run', async () => {
  const { run, services, tryRun, stored } = aRun()
  await tryRun(nothing)
  const before = await stored()
  expect(await failRunOfJob(run.jobId, failure, services)).toBe(false)
  expect(await stored()).toEqual(before)
  expect(await failRunOfJob(randomUUID(), failure, services)).toBe(false)
})

test('a run is failed also while another run holds the lock, and that one goes on undisturbed', async () => {
  const dead = aRun()
  await expect(dead.tryRun(() => Promise.reject(new Error('a hiccup')))).rejects.toThrow('a hiccup')
  const other = aRun({ lock: dead.run.lock })
  const outcome = await other.tryRun(async () => {
    expect(await failRunOfJob(dead.run.jobId, failure, dead.services)).toBe(true)
  })
  expect(outcome).toBe('finished')
  expect((await dead.stored()).run).toMatchObject({ status: 'FAILED', error_code: 'JOB_DIED' })
})

test('RULINGS 30: a run without a lock is failed as it is', async () => {
  const { services, run, stored } = aRun()
  await startRun(pool, { jobId: run.jobId, kind: 'SCRAPE' })
  expect(await failRunOfJob(run.jobId, { ...failure, isCounted: false }, services)).toBe(true)
  expect((await stored()).run).toMatchObject({ status: 'FAILED', is_counted: false })
})

const cancel = (jobId: string, now: Date) => inTransaction(pool, (tx) => cancelRunOfJob(tx, jobId, now))

test('RULINGS 1: cancelling takes the connection from the attempt at work and ends its run, not counted', async () => {
  const { run, stored, find, pid, error, lockKey } = await aHangingRun()
  expect(await cancel(run.jobId, at(5))).toBe(await find())
  expect(await error).toMatchObject({ name: 'RunConnectionLost' })
  await untilGone(pid)
  expect(await isFree(lockKey)).toBe(true)
  expect((await stored()).run).toMatchObject({
    status: 'FAILED',
    error_code: 'CANCELLED_BY_OPERATOR',
    is_counted: false,
    counters: noCounters,
    finished_at: at(5),
  })
  expect(await cancel(run.jobId, at(6))).toBeUndefined()
})

test('a job whose run was cancelled is told so when it is delivered once more', async () => {
  const { run, tryRun } = aRun()
  await expect(tryRun(() => Promise.reject(new Error('a hiccup')))).rejects.toThrow('a hiccup')
  await cancel(run.jobId, at(5))
  expect(await tryRun(nothing)).toBe('already-ended')
})
