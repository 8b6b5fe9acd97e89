import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { startDatabaseClock } from '../../src/db/database-clock.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pool } = database
const log = createLog({ level: 'silent' })

const databaseMs = async () =>
  (await pool.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')).rows[0]!.ms

/** How far the clock is from the database's time, at most. */
async function distanceOf(now: () => Date): Promise<number> {
  const [before, shown, after] = [await databaseMs(), now().getTime(), await databaseMs()]
  return Math.max(0, before - shown, shown - after)
}

const setMachine = (days: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 })
  onTestFinished(() => void vi.useRealTimers())
}

test.each([-3, 3])('RULINGS 8: the time is the database’s, though the machine is %i days beside it', async (days) => {
  setMachine(days)
  using clock = await startDatabaseClock(pool, log)
  expect(await distanceOf(clock.now)).toBeLessThan(1_000)
})

test('FAULTS R14: a machine whose clock jumps does not take the time along', async () => {
  using clock = await startDatabaseClock(pool, log)
  setMachine(-3)
  expect(await distanceOf(clock.now)).toBeLessThan(1_000)
})

test('a database that was not there at first is asked again', async () => {
  setMachine(-3)
  const query = vi.spyOn(pool, 'query').mockImplementationOnce(() => Promise.reject(new Error('away')))
  onTestFinished(() => query.mockRestore())
  using clock = await startDatabaseClock(pool, log, 5)
  await until('the time is the database’s', async () => (await distanceOf(clock.now)) < 1_000)
})
