import { afterAll, beforeEach, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))
const tick = async (driver: string, now: Date) =>
  (await pool.query<{ drives: boolean }>("select freshet.tick($1, interval '15 seconds', $2) as drives", [driver, now]))
    .rows[0]?.drives
const clock = async () => (await pool.query('select driver, lease_until, last_tick_at from freshet.clock')).rows

beforeEach(() => pool.query('update freshet.clock set driver = null, lease_until = null, last_tick_at = null'))

test('the first to tick drives', async () => {
  expect(await tick('a', at(0))).toBe(true)
  expect(await clock()).toEqual([{ driver: 'a', lease_until: at(15), last_tick_at: at(0) }])
})

test("another driver's running lease refuses, up to its last moment", async () => {
  await tick('a', at(0))
  expect(await tick('b', new Date(at(15).getTime() - 1))).toBe(false)
  expect(await clock()).toEqual([{ driver: 'a', lease_until: at(15), last_tick_at: at(0) }])
})

test('an expired lease is taken, at the moment it expires', async () => {
  await tick('a', at(0))
  expect(await tick('b', at(15))).toBe(true)
  expect(await clock()).toEqual([{ driver: 'b', lease_until: at(30), last_tick_at: at(15) }])
  expect(await tick('a', at(16))).toBe(false)
})

test('the driver renews its own lease', async () => {
  await tick('a', at(0))
  expect(await tick('a', at(5))).toBe(true)
  expect(await clock()).toEqual([{ driver: 'a', lease_until: at(20), last_tick_at: at(5) }])
  expect(await tick('b', at(19))).toBe(false)
})

test('of eight that tick at once exactly one drives', async () => {
  await tick('gone', at(0))
  const drives = await Promise.all(Array.from({ length: 8 }, (_, index) => tick(`worker-${index}`, at(20))))
  expect(drives.filter(Boolean)).toHaveLength(1)
  expect(await clock()).toEqual([
    { driver: `worker-${drives.indexOf(true)}`, lease_until: at(35), last_tick_at: at(20) },
  ])
})

test('there is one clock and no second', async () => {
  await expect(pool.query('insert into freshet.clock default values')).rejects.toMatchObject({
    constraint: 'clock_pkey',
  })
  await expect(pool.query('insert into freshet.clock (is_only) values (false)')).rejects.toMatchObject({
    constraint: 'there_is_one_clock',
  })
})
