import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { connectRun, decisionConnectionName, takeRunLock } from '../../../src/db/run-lock.ts'
import type { RunContext } from '../../../src/domain/runs/context.ts'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { call, startRun } from '../../support/runs.ts'
import { nothing, runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const { aRun, untilConnected, untilWaiting } = runStand(database)

test('RULINGS 2: a lock held by another run on the first attempt means no run at all', async () => {
  const holder = aRun()
  const late = aRun({ lock: holder.run.lock })
  const outcome = await holder.tryRun(async () => {
    expect(await late.tryRun(() => Promise.reject(new Error('it worked')))).toBe('lock-busy')
  })
  expect(outcome).toBe('finished')
  expect(await late.find()).toBeUndefined()
})

test('RULINGS 2: a job that has a run waits while another run holds the lock, and its run stays as it is', async () => {
  const waiting = aRun()
  await expect(waiting.tryRun(() => Promise.reject(new Error('a first failure')))).rejects.toThrow('a first failure')
  const before = await waiting.stored()
  const holder = aRun({ lock: waiting.run.lock })
  await holder.tryRun(async () => {
    expect(await waiting.tryRun(nothing)).toBe('wait')
  })
  expect(await waiting.stored()).toEqual(before)
  expect(await waiting.tryRun(nothing)).toBe('finished')
  expect((await waiting.stored()).run).toMatchObject({ attempt: 2, status: 'SUCCEEDED' })
})

test('RULINGS 2: cancelling a job whose run waits leaves the run alone that holds the lock', async () => {
  const waiting = aRun()
  await expect(waiting.tryRun(() => Promise.reject(new Error('a first failure')))).rejects.toThrow('a first failure')
  const holder = aRun({ lock: waiting.run.lock })
  const outcome = await holder.tryRun(async (run) => {
    expect(await call(pool, 'cancel_run_of_job', waiting.run.jobId, at())).toBe(await waiting.find())
    await run.progress({ rows: 1 })
  })
  expect(outcome).toBe('finished')
  expect((await holder.stored()).run).toMatchObject({ status: 'SUCCEEDED', attempt: 1, counters: { rows: 1 } })
  expect((await waiting.stored()).run).toMatchObject({ status: 'FAILED', error_code: 'CANCELLED_BY_OPERATOR' })
})

test('a job whose run has ended is done even while another run holds the lock', async () => {
  const ended = aRun()
  await ended.tryRun(nothing)
  const holder = aRun({ lock: ended.run.lock })
  await holder.tryRun(async () => {
    expect(await ended.tryRun(nothing)).toBe('already-ended')
  })
})

test('RULINGS 2: a retry ends the connection of the attempt before it and takes the lock', async () => {
  const { tryRun, stored } = aRun()
  const { promise: isAtWork, resolve: atWork } = Promise.withResolvers<void>()
  let stale: RunContext | undefined
  const first = tryRun(async (run) => {
    stale = run
    await run.progress({ rows: 100 })
    atWork()
    await new Promise(() => {})
  })
  const firstEnd = first.catch((error: unknown) => error)
  await isAtWork
  expect(await tryRun((run) => run.progress({ rows: 3 }))).toBe('finished')
  expect(await firstEnd).toMatchObject({ name: 'RunConnectionLost', code: 'RUN_CONNECTION_LOST' })
  expect(stale?.signal.aborted).toBe(true)
  await expect(stale?.progress({ rows: 1 })).rejects.toThrow('not queryable')
  expect((await stored()).run).toMatchObject({ attempt: 2, status: 'SUCCEEDED', counters: { rows: 3 } })
})

test('the job that follows on a run waits for the lock that an ended run is about to let go', async () => {
  const ending = aRun()
  const following = aRun({ lock: ending.run.lock })
  let follow: Promise<string> | undefined
  await ending.tryRun(async (run) => {
    await run.finish()
    follow = following.tryRun(nothing)
    await untilConnected(following.run.jobId)
  })
  expect(await follow).toBe('finished')
})

test('RULINGS 16: a job waits for a decision that holds the lock, for nothing else would do what it was asked for', async () => {
  const { run, services, tryRun, lockKey } = aRun()
  const jobId = randomUUID()
  const decision = await connectRun(database.url, jobId, services.log, decisionConnectionName(jobId))
  await takeRunLock(decision, run.lock)
  const waiting = tryRun(nothing)
  await untilWaiting(lockKey)
  await decision[Symbol.asyncDispose]()
  expect(await waiting).toBe('finished')
})

test('RULINGS 16: where a decision takes its time, the job is put back, not cancelled', async () => {
  const { run, services, tryRun, find } = aRun({}, { lockMs: 20 })
  const jobId = randomUUID()
  await using decision = await connectRun(database.url, jobId, services.log, decisionConnectionName(jobId))
  await takeRunLock(decision, run.lock)
  expect(await tryRun(nothing)).toBe('wait')
  expect(await find()).toBeUndefined()
})

test('RULINGS 16: so is a follow-up that finds the connection of the run before it hanging', async () => {
  const ending = aRun()
  const following = aRun({ lock: ending.run.lock }, { lockMs: 20 })
  await ending.tryRun(async (run) => {
    await run.finish()
    expect(await following.tryRun(nothing)).toBe('wait')
  })
  expect(await following.tryRun(nothing)).toBe('finished')
})

test('R6: an attempt that goes on beside its retry is fenced, even if it kept a connection', async () => {
  const { tryRun, stored, find, run } = aRun()
  await expect(
    tryRun(async (stale) => {
      await startRun(pool, { jobId: run.jobId }) // the retry, on another connection
      const before = await stored()
      for (const write of [
        () => stale.stage('PARSE'),
        () => stale.progress({ rows: 1 }),
        () => stale.sampleError({ code: 'BAD', message: 'Bad.' }),
        () => stale.finish(),
      ])
        await expect(write()).rejects.toMatchObject({ code: 'FR021' })
      expect(await stored()).toEqual(before)
      await stale.finish()
    }, true),
  ).rejects.toMatchObject({ code: 'FR021' })
  expect((await stored()).run).toMatchObject({ id: await find(), status: 'RUNNING', attempt: 2 })
})
