import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connectPool } from '../../../src/db/pool.ts'
import { startClockWatch } from '../../../src/jobs/clock/watch.ts'
import { createLog } from '../../../src/log.ts'
import { makeQueue } from '../../support/queue.ts'
import { cloneDatabase } from '../../support/database.ts'
import { collectLines } from '../../support/lines.ts'
import { until } from '../../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
await makeQueue(database.pool, 'notify')
const { lines, stream } = collectLines()
const log = createLog({ level: 'info', destination: stream })
const pool = connectPool(database.url, { size: 2, log, statementMs: 5_000 })
afterAll(() => pool.end())

const beatAgo = (seconds: number, driver = 'pg_cron') =>
  database.pool.query(
    'update freshet.clock set driver = $1, last_tick_at = now() - make_interval(secs => $2), lease_until = now()',
    [driver, seconds],
  )
const alerts = async () =>
  (await database.pool.query('select kind, severity, message, resolved_at is null as is_open from freshet.alerts')).rows

beforeEach(() => database.pool.query('delete from freshet.alerts; delete from pgboss.job'))

test('RULINGS 8: a clock that stopped is told, with an alert, until it beats again', async () => {
  await beatAgo(170)
  await using watch = await startClockWatch(pool, log, 20)
  expect(watch.problem()).toBe('late: the last tick was 170 s ago, by pg_cron; start a worker, and look at its log')
  expect(watch.lagSeconds()).toBeGreaterThanOrEqual(170)
  expect(watch.lagSeconds()).toBeLessThan(180)
  const alert = {
    kind: 'CLOCK_LATE',
    severity: 'P1',
    message: 'The schedules stand still: the last tick was 170 s ago, by pg_cron.',
  }
  expect(await alerts()).toEqual([{ ...alert, is_open: true }])
  await database.pool.query('select freshet.tick()')
  await until('the watch has seen it', () => watch.problem() === undefined)
  expect(await alerts()).toEqual([{ ...alert, is_open: false }])
  expect(lines.filter((line) => line.includes('the clock is late'))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('the clock beats again'))).toHaveLength(1)
})

test('the clock is looked at every 10 s: not after 9,999 ms, but after 10,000 ms', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const looks = vi.spyOn(pool, 'query')
  onTestFinished(() => void vi.restoreAllMocks())
  await using _watch = await startClockWatch(pool, log)
  vi.advanceTimersByTime(9_999)
  expect(looks).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(looks).toHaveBeenCalledTimes(2)
})

test('the lag goes on counting while the database cannot be asked', async () => {
  await beatAgo(10)
  await using watch = await startClockWatch(pool, log, 5)
  await database.pool.query('alter table freshet.clock rename to clock_away')
  const lag = watch.lagSeconds()
  await until('it grew', () => watch.lagSeconds() > lag + 0.02)
  await database.pool.query('alter table freshet.clock_away rename to clock')
  expect(watch.problem()).toBeUndefined()
})

test('while the database cannot be asked, a clock that beat in time becomes late 165 s after its last beat', async () => {
  await beatAgo(100)
  await using watch = await startClockWatch(pool, log, 3_600_000) // no second look
  const seenAt = performance.now()
  const time = vi.spyOn(performance, 'now')
  onTestFinished(() => time.mockRestore())
  time.mockReturnValue(seenAt + 60_000)
  expect(watch.problem()).toBeUndefined()
  time.mockReturnValue(seenAt + 70_000)
  expect(watch.problem()).toMatch(/^late: the last tick was 17\d s ago, by pg_cron; /)
})

test('a clock that never beat has no lag', async () => {
  await database.pool.query('update freshet.clock set driver = null, last_tick_at = null, lease_until = null')
  await using watch = await startClockWatch(pool, log)
  expect(watch.lagSeconds()).toBeNaN()
})
