import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { call, startRun, storedRun } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const finish = (id: string, attempt = 1) => call(pool, 'finish_run', id, attempt, at(9))
const fail = (id: string, attempt: number | null = 1, isCounted = true) =>
  call(pool, 'fail_run', id, attempt, 'FTP_DOWN', 'It is down.', 'Mend it.', at(9), isCounted)

test('a run that is finished has its end and its last event', async () => {
  const { id } = await startRun(pool)
  await call(pool, 'set_run_stage', id, 1, 'PROMOTE', at(1))
  await finish(id)
  const { run, events } = await storedRun(pool, id)
  expect(run).toMatchObject({
    status: 'SUCCEEDED',
    finished_at: at(9),
    updated_at: at(9),
    stage: 'PROMOTE',
    error_code: null,
  })
  expect(events.at(-1)).toMatchObject({ number: 3, kind: 'SUCCEEDED', stage: 'PROMOTE', at: at(9) })
})

test('a run that failed says why and what to do', async () => {
  const { id } = await startRun(pool)
  expect(await fail(id)).toBe(true)
  const { run, events } = await storedRun(pool, id)
  expect(run).toMatchObject({
    status: 'FAILED',
    finished_at: at(9),
    error_code: 'FTP_DOWN',
    error_message: 'It is down.',
    error_hint: 'Mend it.',
    is_counted: true,
  })
  expect(events.at(-1)).toMatchObject({ number: 2, kind: 'FAILED', code: 'FTP_DOWN', message: 'It is down.' })
})

test('RULINGS 1: a failure that is not counted is marked so', async () => {
  const { id } = await startRun(pool)
  await fail(id, 1, false)
  expect((await storedRun(pool, id)).run).toMatchObject({ status: 'FAILED', is_counted: false })
})

test('RULINGS 1: whoever holds the lock may fail a run without knowing its attempt', async () => {
  const { id, jobId } = await startRun(pool)
  await startRun(pool, { jobId })
  expect(await fail(id, null)).toBe(true)
  expect((await storedRun(pool, id)).run).toMatchObject({ status: 'FAILED', attempt: 2 })
})

test.each([
  ['SUCCEEDED', finish],
  ['FAILED', fail],
])(
  'issue 4 §3: %s is final: a second finish is refused, a failure does nothing, and no write gets through',
  async (status, end) => {
    const { id } = await startRun(pool)
    await end(id)
    const before = await storedRun(pool, id)
    await expect(finish(id)).rejects.toMatchObject({
      code: 'FR022',
      message: `Run ${id} has ended already.`,
      hint: 'The end of a run is final. Start a new run.',
    })
    expect([await fail(id), await fail(id, null), await fail(id, 7)]).toEqual([false, false, false])
    for (const [name, ...values] of [
      ['set_run_stage', 'PARSE', at(10)],
      ['add_run_progress', { rows: 1 }, at(10)],
      ['sample_run_error', 'BAD', 'Bad.', at(10)],
      ['restart_run', at(10)],
    ] as const)
      await expect(call(pool, name, id, 1, ...values)).rejects.toMatchObject({ code: 'FR021' })
    for (const change of [
      "status = 'RUNNING', finished_at = null, error_code = null",
      'attempt = 2',
      "counters = '{}'",
    ])
      await expect(pool.query(`update freshet.runs set ${change} where id = $1`, [id])).rejects.toMatchObject({
        code: 'FR022',
      })
    expect(await storedRun(pool, id)).toEqual(before)
    expect(before.run.status).toBe(status)
  },
)

test('of a finish and a failure at once exactly one is the end', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const { id } = await startRun(pool)
    const ends = await Promise.allSettled([finish(id), fail(id)])
    const { run, events } = await storedRun(pool, id)
    const isFinished = ends[0].status === 'fulfilled'
    expect(ends[1]).toEqual({ status: 'fulfilled', value: !isFinished })
    expect(run.status).toBe(isFinished ? 'SUCCEEDED' : 'FAILED')
    expect(events.map(({ kind }) => kind)).toEqual(['STARTED', run.status])
  }
})

test('a run that there is not cannot be finished, and failing it does nothing', async () => {
  await expect(finish('999999')).rejects.toMatchObject({ code: 'FR021' })
  expect(await fail('999999')).toBe(false)
})

test('RULINGS 1: a cancelled job ends its run FAILED CANCELLED_BY_OPERATOR, not counted, once', async () => {
  const { id, jobId } = await startRun(pool)
  expect(await call(pool, 'cancel_run_of_job', jobId, at(9))).toBe(id)
  expect((await storedRun(pool, id)).run).toMatchObject({
    status: 'FAILED',
    error_code: 'CANCELLED_BY_OPERATOR',
    is_counted: false,
    finished_at: at(9),
  })
  expect(await call(pool, 'cancel_run_of_job', jobId, at(10))).toBeNull()
})

test('cancelling a job whose run has ended, or that has none, changes nothing', async () => {
  const { id, jobId } = await startRun(pool)
  await finish(id)
  const before = await storedRun(pool, id)
  expect(await call(pool, 'cancel_run_of_job', jobId, at(10))).toBeNull()
  expect(await storedRun(pool, id)).toEqual(before)
  expect(await call(pool, 'cancel_run_of_job', '00000000-0000-4000-8000-000000000000', at(10))).toBeNull()
})

test('an end is told in at most 2,000 characters, and so is every event and error', async () => {
  const { id } = await startRun(pool)
  const told = 'x'.repeat(2_000)
  const tooLong = { code: '23514' }
  const sample = (message: string) => call(pool, 'sample_run_error', id, 1, 'BAD', message, at())
  await expect(sample(`${told}x`)).rejects.toMatchObject({ ...tooLong, constraint: 'error_is_told_briefly' })
  expect(await sample(told)).toBe(true)
  const fail = (message: string, hint: string) => call(pool, 'fail_run', id, 1, 'BAD', message, hint, at())
  await expect(fail(`${told}x`, told)).rejects.toMatchObject({ ...tooLong, constraint: 'event_is_told_briefly' })
  await expect(fail(told, `${told}x`)).rejects.toMatchObject({ ...tooLong, constraint: 'end_is_told_briefly' })
  expect(await fail(told, told)).toBe(true)
})
