import { afterAll, expect, test } from 'vitest'
import { queryRows } from '../../../src/db/sql.ts'
import type { RunContext } from '../../../src/domain/runs/context.ts'
import { cloneDatabase } from '../../support/database.ts'
import { startMiddle } from '../../support/middle.ts'
import { resultOf, noCounters } from '../../support/runs.ts'
import { nothing, pidOf, runStand } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const { aRun, isFree, terminate, untilGone, untilNobodyWorksOn, untilWaiting } = runStand(database)

test('a job that was taken away before it began opens no connection', async () => {
  const { tryRun, controller, find } = aRun()
  controller.abort(new Error('the job was taken away'))
  await expect(tryRun(nothing)).rejects.toThrow('the job was taken away')
  expect(await find()).toBeUndefined()
})

test('a job that is taken away while its run connects does no work and leaves no connection', async () => {
  const { run, tryRun, controller, find } = aRun()
  let isAtWork = false
  const attempt = tryRun(async () => void (isAtWork = true))
  controller.abort(new Error('the job was taken away'))
  await expect(attempt).rejects.toThrow('the job was taken away')
  await untilNobodyWorksOn(run.jobId)
  expect([isAtWork, await find()]).toEqual([false, undefined])
})

test('RULINGS 2: an attempt that is taken away while it connects leaves the retry alone that is at work', async () => {
  const retry = aRun()
  const stale = aRun({ jobId: retry.run.jobId, lock: retry.run.lock })
  const outcome = await retry.tryRun(async (run) => {
    const attempt = stale.tryRun(() => Promise.reject(new Error('it worked')))
    stale.controller.abort(new Error('the job was taken away'))
    await expect(attempt).rejects.toThrow('the job was taken away')
    await run.progress({ rows: 1 })
  })
  expect(outcome).toBe('finished')
  expect((await retry.stored()).run).toMatchObject({ status: 'SUCCEEDED', attempt: 1, counters: { rows: 1 } })
})

test('R4: an attempt whose connection fell silent fails, and its retry starts from scratch', async () => {
  await using middle = await startMiddle(database.url)
  const cut = aRun({}, { directUrl: middle.url, watchMs: 20 })
  const attempt = cut.tryRun(async (run) => {
    await run.progress({ rows: 1 })
    middle.fallSilent()
    await run.progress({ rows: 1 })
  })
  await expect(attempt).rejects.toMatchObject({ code: 'RUN_CONNECTION_LOST' })
  const retry = aRun({ jobId: cut.run.jobId, lock: cut.run.lock })
  expect(await retry.tryRun((run) => run.progress({ rows: 4 }))).toBe('finished')
  expect((await retry.stored()).run).toMatchObject({ status: 'SUCCEEDED', attempt: 2, counters: { rows: 4 } })
})

test('a job that is taken away in the middle stops at once with that reason, writes nothing more and frees its lock', async () => {
  const { tryRun, controller, stored, lockKey, lines } = aRun()
  let pid: number | undefined
  const attempt = tryRun(async (run) => {
    pid = await pidOf(run)
    await queryRows(run.sql, 'begin')
    await run.progress({ rows: 1 })
    controller.abort(new Error('the job was taken away'))
    await run.progress({ rows: 1 })
    await queryRows(run.sql, 'commit')
  }, true)
  await expect(attempt).rejects.toThrow('the job was taken away')
  await untilGone(pid)
  expect(await isFree(lockKey)).toBe(true)
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', counters: noCounters })
  expect(lines.filter((line) => line.includes('could not be ended'))).toEqual([]) // it is not for this attempt to end it
})

test('issue 4 §3: a cut connection fails the job at once, undoes its open transaction, and the retry starts from scratch', async () => {
  const { tryRun, stored } = aRun()
  let pid: number | undefined
  const cut = tryRun(async (run) => {
    await run.progress({ rows: 1 })
    pid = await pidOf(run)
    await queryRows(run.sql, 'begin')
    await run.progress({ rows: 10 })
    await Promise.all([terminate(pid), queryRows(run.sql, 'select pg_sleep(60)')])
  }, true)
  await expect(cut).rejects.toMatchObject({ name: 'RunConnectionLost' })
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', attempt: 1, counters: { rows: 1 } })
  expect(await tryRun((run) => run.progress({ rows: 4 }))).toBe('finished')
  expect((await stored()).run).toMatchObject({ status: 'SUCCEEDED', attempt: 2, counters: { rows: 4 } })
})

test('issue 4 §3: whoever waits for the same lock has it the moment the connection is cut', async () => {
  const { run, tryRun, stored, lockKey } = aRun()
  const other = aRun({ lock: run.lock })
  await expect(other.tryRun(() => Promise.reject(new Error('not yet')))).rejects.toThrow('not yet')
  const waiter = await pool.connect()
  let taken: Promise<unknown> | undefined
  const cut = tryRun(async (context) => {
    taken = waiter.query('select pg_advisory_lock($1, $2)', lockKey)
    await untilWaiting(lockKey)
    expect(await other.tryRun(nothing)).toBe('wait')
    await terminate(await pidOf(context))
    await context.progress({ rows: 1 })
  })
  await expect(cut).rejects.toMatchObject({ name: 'RunConnectionLost' })
  await taken
  waiter.release(true)
  expect(await other.tryRun(nothing)).toBe('finished')
  expect((await stored()).run).toMatchObject({ status: 'RUNNING', counters: noCounters })
})

test('RULINGS 3: a run whose first attempt was killed in the middle ends like an undisturbed one', async () => {
  const work = async (run: RunContext, stopAt = Infinity) => {
    await run.stage('PARSE')
    for (let row = 1; row <= 5; row++) {
      await run.transaction(async () => {
        await run.progress({ rows: 1, bytes: row * 10 })
        await run.sampleError({ code: row % 2 ? 'ODD' : 'EVEN', message: `Row ${row}.`, line: row })
        if (row === stopAt) await terminate(await pidOf(run))
      })
    }
  }
  const calm = aRun()
  await calm.tryRun((run) => work(run))
  const expected = await resultOf(pool, (await calm.find()) ?? '')
  for (const stopAt of [1, 3, 5]) {
    const killed = aRun()
    await expect(killed.tryRun((run) => work(run, stopAt))).rejects.toMatchObject({ name: 'RunConnectionLost' })
    expect(await killed.tryRun((run) => work(run))).toBe('finished')
    expect(await resultOf(pool, (await killed.find()) ?? '')).toEqual(expected)
  }
})

test('R4: a run whose connection falls silent as it lets go of its lock ends all the same', async () => {
  await using middle = await startMiddle(database.url)
  const { tryRun, stored } = aRun({}, { directUrl: middle.url })
  const outcome = await tryRun(async ({ sql }) => {
    const ask = sql.query.bind(sql) as (query: unknown, values?: unknown) => Promise<unknown>
    const askUntilTheEnd = (query: unknown, values?: unknown) => {
      if (JSON.stringify(query).includes('pg_advisory_unlock_all')) middle.fallSilent()
      return ask(query, values)
    }
    Object.assign(sql, { query: askUntilTheEnd })
  })
  expect(outcome).toBe('finished')
  expect((await stored()).run).toMatchObject({ status: 'SUCCEEDED' })
})
