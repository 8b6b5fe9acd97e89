import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { aRetailer, aSource } from '../../support/rows.ts'
import { call, resultOf, startRun, storedRun, noCounters } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

test('RULINGS 1: a new job starts a run at attempt 1, with its first event', async () => {
  const started = await startRun(pool, { trigger: 'MANUAL', lock: [4620, 7] })
  expect(started).toMatchObject({ status: 'RUNNING', attempt: 1 })
  const { run, events } = await storedRun(pool, started.id)
  expect(run).toMatchObject({
    job_id: started.jobId,
    kind: 'FEED',
    trigger: 'MANUAL',
    status: 'RUNNING',
    attempt: 1,
    lock_class: 4620,
    lock_id: 7,
    started_at: at(),
    updated_at: at(),
    finished_at: null,
    stage: null,
    counters: noCounters,
    event_count: 1,
    error_count: 0,
    is_counted: true,
  })
  expect(events).toMatchObject([{ number: 1, attempt: 1, kind: 'STARTED', at: at(), position: null }])
})

test('RULINGS 1, DESIGN 5.3: a retry finds the same run, one attempt further, with the trigger it began with', async () => {
  const first = await startRun(pool, { trigger: 'SCHEDULED' })
  const second = await startRun(pool, { jobId: first.jobId, trigger: 'MANUAL', now: at(5) })
  expect(second).toEqual({ ...first, attempt: 2 })
  const { run, events } = await storedRun(pool, first.id)
  expect(run).toMatchObject({ trigger: 'SCHEDULED', attempt: 2, started_at: at(), updated_at: at(5) })
  expect(events).toMatchObject([
    { number: 1, attempt: 1, kind: 'STARTED', at: at() },
    { number: 2, attempt: 2, kind: 'RESTARTED', at: at(5) },
  ])
})

test('RULINGS 3: a retry starts from scratch, and keeps the story of what came before', async () => {
  const { id, jobId } = await startRun(pool)
  await call(pool, 'set_run_stage', id, 1, 'PARSE', at(1))
  await call(pool, 'add_run_progress', id, 1, '{"rows": 10}', at(2))
  await call(pool, 'sample_run_error', id, 1, 'PRICE_MISSING', 'There is no price.', at(3))
  await startRun(pool, { jobId, now: at(4) })
  const { run, events, errors, totals } = await storedRun(pool, id)
  expect(run).toMatchObject({ stage: null, counters: noCounters, error_count: 0 })
  expect({ errors, totals }).toEqual({ errors: [], totals: [] })
  expect(events).toMatchObject([
    { number: 1, kind: 'STARTED', attempt: 1, counters: noCounters },
    { number: 2, kind: 'STAGE', attempt: 1, stage: 'PARSE' },
    { number: 3, kind: 'PROGRESS', attempt: 1, counters: { rows: 10 } },
    { number: 4, kind: 'RESTARTED', attempt: 2, stage: null, counters: noCounters },
  ])
})

test('RULINGS 3: the counters and errors of a retried run equal those of an undisturbed one', async () => {
  const work = async (id: string, attempt: number, rows: number[]) => {
    await call(pool, 'set_run_stage', id, attempt, 'STAGE', at(1))
    for (const row of rows) {
      await call(pool, 'add_run_progress', id, attempt, { rows: 1, [`of${row % 2}`]: row }, at(2))
      await call(pool, 'sample_run_error', id, attempt, 'BAD', `Row ${row} is bad.`, at(2), row, `item-${row}`)
    }
  }
  const calm = await startRun(pool)
  await work(calm.id, 1, [1, 2, 3])
  await call(pool, 'finish_run', calm.id, 1, at(3))
  const stormy = await startRun(pool)
  await work(stormy.id, 1, [1, 2])
  await startRun(pool, { jobId: stormy.jobId })
  await work(stormy.id, 2, [1])
  await startRun(pool, { jobId: stormy.jobId })
  await work(stormy.id, 3, [1, 2, 3])
  await call(pool, 'finish_run', stormy.id, 3, at(3))
  expect(await resultOf(pool, stormy.id)).toEqual(await resultOf(pool, calm.id))
  expect((await resultOf(pool, calm.id)).run).toMatchObject({ counters: { rows: 3, of0: 2, of1: 4 }, error_count: 3 })
})

test.each([
  ['SUCCEEDED', (id: string) => call(pool, 'finish_run', id, 1, at(9))],
  ['FAILED', (id: string) => call(pool, 'fail_run', id, 1, 'FTP_DOWN', 'It is down.', 'Mend it.', at(9))],
])('RULINGS 1: a job whose run is %s is told so, and nothing is touched', async (status, end) => {
  const { id, jobId } = await startRun(pool)
  await end(id)
  const before = await storedRun(pool, id)
  expect(await startRun(pool, { jobId, now: at(60) })).toEqual({ id, jobId, status, attempt: 1 })
  expect(await storedRun(pool, id)).toEqual(before)
})

test('of two starts of one job at once, one is attempt 1 and the other attempt 2 of the same run', async () => {
  const jobId = randomUUID()
  const started = await Promise.all([startRun(pool, { jobId }), startRun(pool, { jobId })])
  expect(new Set(started.map(({ attempt }) => attempt))).toEqual(new Set([1, 2]))
  expect(new Set(started.map(({ id }) => id)).size).toBe(1)
})

test('RULINGS 30: runs that are made without a job of their own are each a new run', async () => {
  const [one, other] = [await startRun(pool, { jobId: null }), await startRun(pool, { jobId: null })]
  expect([one.attempt, other.attempt]).toEqual([1, 1])
  expect(one.id).not.toBe(other.id)
})

test('RULINGS 24: a test run does not count, however it ends', async () => {
  const { id } = await startRun(pool, { trigger: 'ADMIN_TEST' })
  await call(pool, 'fail_run', id, 1, 'FTP_DOWN', 'It is down.', 'Mend it.', at(1))
  expect((await storedRun(pool, id)).run).toMatchObject({ status: 'FAILED', is_counted: false })
})

test.each([
  ['trigger', "'MANUAL'"],
  ['kind', "'SWEEP'"],
  ['job_id', 'gen_random_uuid()'],
  ['started_at', 'now()'],
])('the %s of a run never changes', async (column, value) => {
  const { id } = await startRun(pool)
  const change = pool.query(`update freshet.runs set ${column} = ${value} where id = $1`, [id])
  await expect(change).rejects.toMatchObject({ code: 'FR001' })
})

test('the source of a run never changes', async () => {
  const retailer = await aRetailer(pool)
  const [one, other] = [await aSource(pool, retailer), await aSource(pool, retailer)]
  const { id } = await startRun(pool, { sourceId: one })
  const change = pool.query('update freshet.runs set source_id = $2 where id = $1', [id, other])
  await expect(change).rejects.toMatchObject({ code: 'FR001' })
})
