import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { at } from '../../support/moment.ts'
import { makeQueue } from '../../support/queue.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
await makeQueue(pool, 'notify')

const state = async (now: Date) => (await pool.query('select * from freshet.clock_state($1)', [now])).rows[0]
const watch = async (now: Date) =>
  (await pool.query<{ is_late: boolean }>('select is_late from freshet.watch_clock($1)', [now])).rows[0]?.is_late
const alerts = async () => (await pool.query('select kind, times_raised, resolved_at from freshet.alerts')).rows

beforeEach(async () => {
  await pool.query('delete from freshet.alerts')
  await pool.query('update freshet.clock set driver = null, lease_until = null, last_tick_at = null')
})

test('the state says who drives, since when, and how long ago it beat', async () => {
  await pool.query("select freshet.tick('worker a:1', '15 seconds', $1)", [at(0)])
  expect(await state(at(7))).toEqual({
    driver: 'worker a:1',
    last_tick_at: at(0),
    lease_until: at(15),
    lag_seconds: 7,
    is_late: false,
  })
})

test.each([
  [165, false],
  [166, true],
])('issue 4 §2: a beat %i s ago is late: %s, so that it is told within three minutes', async (seconds, isLate) => {
  await pool.query('select freshet.tick(p_now => $1)', [at(0)])
  expect(await state(at(seconds))).toMatchObject({ is_late: isLate })
  expect(await watch(at(seconds))).toBe(isLate)
  expect(await alerts()).toHaveLength(isLate ? 1 : 0)
})

test('a late clock is told once, however many watch, and the next beat resolves it', async () => {
  await pool.query('select freshet.tick(p_now => $1)', [at(0)])
  for (const seconds of [170, 180, 190]) expect(await watch(at(seconds))).toBe(true)
  expect(await alerts()).toEqual([{ kind: 'CLOCK_LATE', times_raised: 1, resolved_at: null }])
  await pool.query('select freshet.tick(p_now => $1)', [at(200)])
  expect(await alerts()).toEqual([{ kind: 'CLOCK_LATE', times_raised: 1, resolved_at: at(200) }])
})

test('a clock that never beat is late 165 s after the last deploy', async () => {
  await pool.query('update freshet.applied_sql set applied_at = $1', [at(0)])
  expect(await state(at(165))).toMatchObject({ driver: null, lag_seconds: null, is_late: false })
  expect(await state(at(166))).toMatchObject({ is_late: true })
})

test.each([
  [165, false],
  [166, true],
])('a beat that lies %i s ahead, before the clock was set back, is as old as that: late: %s', async (ahead, isLate) => {
  await pool.query('select freshet.tick(p_now => $1)', [at(ahead)])
  expect(await state(at(0))).toMatchObject({ lag_seconds: ahead, is_late: isLate })
  expect(await watch(at(0))).toBe(isLate)
})

test('after the clock was set back by three hours a stop is told at once, and for as long as nobody beats', async () => {
  await pool.query('select freshet.tick(p_now => $1)', [at(10_800)])
  for (const seconds of [0, 10_700, 10_800, 10_900, 11_000]) expect(await watch(at(seconds))).toBe(true)
  expect(await alerts()).toEqual([{ kind: 'CLOCK_LATE', times_raised: 1, resolved_at: null }])
  await pool.query('select freshet.tick(p_now => $1)', [at(11_001)])
  expect(await watch(at(11_001))).toBe(false)
})
