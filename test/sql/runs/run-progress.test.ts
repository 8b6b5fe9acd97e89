import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { call, startRun, storedRun, noCounters } from '../../support/runs.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const progressOf = async (id: string) =>
  (await storedRun(pool, id)).events.filter(({ kind }) => kind === 'PROGRESS').map(({ counters }) => counters)

test('a stage is stored and told, in order', async () => {
  const { id } = await startRun(pool)
  await call(pool, 'set_run_stage', id, 1, 'DOWNLOAD', at(1))
  await call(pool, 'set_run_stage', id, 1, 'PARSE', at(2))
  const { run, events } = await storedRun(pool, id)
  expect(run).toMatchObject({ stage: 'PARSE', updated_at: at(2), event_count: 3 })
  expect(events.slice(1)).toMatchObject([
    { number: 2, kind: 'STAGE', stage: 'DOWNLOAD', at: at(1) },
    { number: 3, kind: 'STAGE', stage: 'PARSE', at: at(2) },
  ])
})

test('progress is added to the counters, also to those that a run did not have before', async () => {
  const { id } = await startRun(pool)
  await call(pool, 'add_run_progress', id, 1, { rows: 3_000_000_000, bad: 1 }, at(1))
  await call(pool, 'add_run_progress', id, 1, { rows: 1, good: 2 }, at(2))
  await call(pool, 'add_run_progress', id, 1, {}, at(3))
  const { run } = await storedRun(pool, id)
  expect(run).toMatchObject({ counters: { rows: 3_000_000_001, bad: 1, good: 2 }, updated_at: at(3) })
})

test('a counter that is no whole number is refused, and nothing is counted', async () => {
  const { id } = await startRun(pool)
  await expect(call(pool, 'add_run_progress', id, 1, { rows: 1, price: 'nine' }, at(1))).rejects.toMatchObject({
    code: '22P02',
  })
  expect((await storedRun(pool, id)).run).toMatchObject({ counters: noCounters, event_count: 1 })
})

test('DESIGN 5.7: progress 249 ms after the last event is counted in silence, 250 ms after it is told', async () => {
  const { id } = await startRun(pool)
  expect(await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(1))).toBe(true)
  expect(await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(1.249))).toBe(false)
  expect((await storedRun(pool, id)).run).toMatchObject({ counters: { rows: 2 } })
  expect(await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(1.25))).toBe(true)
  expect(await progressOf(id)).toEqual([{ rows: 1 }, { rows: 3 }])
})

test('DESIGN 5.7: 100 chunks within a second are told four times, and the end carries all of them', async () => {
  const { id } = await startRun(pool)
  for (let chunk = 0; chunk < 100; chunk++)
    await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(1 + chunk / 100))
  await call(pool, 'finish_run', id, 1, at(2))
  expect(await progressOf(id)).toEqual([{ rows: 1 }, { rows: 26 }, { rows: 51 }, { rows: 76 }])
  expect((await storedRun(pool, id)).events.at(-1)).toMatchObject({ kind: 'SUCCEEDED', counters: { rows: 100 } })
})

test('a retry within the same quarter of a second tells no more often', async () => {
  const { id, jobId } = await startRun(pool)
  await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(1))
  await startRun(pool, { jobId, now: at(1.1) })
  expect(await call(pool, 'add_run_progress', id, 2, { rows: 1 }, at(1.2))).toBe(false)
  expect(await call(pool, 'add_run_progress', id, 2, { rows: 1 }, at(1.25))).toBe(true)
})

test('a clock that was set back an hour does not silence a run', async () => {
  const { id } = await startRun(pool)
  await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(3_600))
  expect(await call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(1))).toBe(true)
})

test('issue 4 §3: 100 errors of a code are kept, the 101st is only counted', async () => {
  const { id } = await startRun(pool)
  const sample = (code: string, line: number) =>
    call(pool, 'sample_run_error', id, 1, code, `Row ${line}.`, at(1), line, `item-${line}`, { line })
  const kept = []
  for (let line = 1; line <= 103; line++) kept.push(await sample('PRICE_MISSING', line))
  expect(await sample('TITLE_MISSING', 104)).toBe(true)
  expect(kept.slice(98)).toEqual([true, true, false, false, false])
  const { run, errors, totals } = await storedRun(pool, id)
  expect(run).toMatchObject({ error_count: 104, updated_at: at(1) })
  expect(totals).toEqual([
    { code: 'PRICE_MISSING', total: 103 },
    { code: 'TITLE_MISSING', total: 1 },
  ])
  expect(errors.map(({ line }) => line)).toEqual([...Array.from({ length: 100 }, (_, index) => index + 1), 104])
  expect(errors[0]).toMatchObject({ message: 'Row 1.', item: 'item-1', details: { line: 1 }, at: at(1) })
})

test('issue 4 §3: each run has its own 100', async () => {
  const runs = [await startRun(pool), await startRun(pool)]
  for (const { id } of runs)
    for (let line = 1; line <= 101; line++) await call(pool, 'sample_run_error', id, 1, 'BAD', 'Bad.', at(1), line)
  for (const { id } of runs) expect((await storedRun(pool, id)).errors).toHaveLength(100)
})

test('issue 4 §3: of errors that are told many at once 100 of a code are kept, over all calls, and all are counted', async () => {
  const { id } = await startRun(pool)
  const tell = (code: string, from: number, to: number, total: number, errorCount: number) => {
    const lines = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    const samples = lines.map((line) => ({
      code,
      message: `Row ${line}.`,
      line,
      item: `item-${line}`,
      details: { line },
    }))
    return call(pool, 'sample_run_errors', id, 1, JSON.stringify(samples), { [code]: total }, errorCount, at(1))
  }
  await tell('BAD', 1, 99, 99, 99)
  await tell('NOTE', 1, 1, 1, 0)
  await tell('BAD', 100, 102, 7, 7)
  await tell('BAD', 107, 107, 1, 1)
  const { run, errors, totals } = await storedRun(pool, id)
  expect(run).toMatchObject({ error_count: 107, updated_at: at(1) })
  expect(totals).toMatchObject([
    { code: 'BAD', total: 107 },
    { code: 'NOTE', total: 1 },
  ])
  const bad = errors.filter(({ code }) => code === 'BAD')
  expect(bad.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
  expect(bad[99]).toMatchObject({ message: 'Row 100.', item: 'item-100', details: { line: 100 }, at: at(1) })
  expect(errors).toHaveLength(101)
})

test.each([
  ['set_run_stage', ['PARSE', at(9)]],
  ['add_run_progress', [{ rows: 1 }, at(9)]],
  ['sample_run_error', ['BAD', 'Bad.', at(9)]],
  ['sample_run_errors', ['[{"code": "BAD", "message": "Bad."}]', { BAD: 1 }, 1, at(9)]],
  ['restart_run', [at(9)]],
  ['finish_run', [at(9)]],
  ['fail_run', ['BAD', 'Bad.', 'Mend it.', at(9)]],
])('R6: %s of an attempt that was overtaken is refused and changes nothing', async (name, values) => {
  const { id, jobId } = await startRun(pool)
  await startRun(pool, { jobId })
  const before = await storedRun(pool, id)
  for (const attempt of [1, 3])
    await expect(call(pool, name, id, attempt, ...values)).rejects.toMatchObject({
      code: 'FR021',
      message: 'This attempt no longer owns the run.',
      hint: 'Stop: another attempt has taken the run over, or it has ended.',
    })
  expect(await storedRun(pool, id)).toEqual(before)
})

test('R6: an attempt that is waiting for the row while the retry takes it over is fenced when it gets there', async () => {
  const { id, jobId } = await startRun(pool)
  const retry = await pool.connect()
  await retry.query('begin')
  await startRun(retry, { jobId, now: at(5) })
  const stale = call(pool, 'add_run_progress', id, 1, { rows: 1 }, at(6)).catch((error: unknown) => error)
  await retry.query('commit')
  retry.release()
  expect(await stale).toMatchObject({ code: 'FR021' })
  expect((await storedRun(pool, id)).run).toMatchObject({ attempt: 2, counters: noCounters })
})
