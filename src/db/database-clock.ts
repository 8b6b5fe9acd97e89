import { reason, type Log } from '../log.ts'
import type { Pool } from './pool.ts'
import { queryRows } from './sql.ts'

export type DatabaseClock = Disposable & { now: () => Date }

const lookMs = 10_000

/**
 * The time of the database, carried on between two looks by a clock of this machine that never jumps. So all processes agree on
 * what has expired and when an offer was seen: one whose own clock was days behind would have promoted offers that everybody
 * else takes for expired.
 */
export async function startDatabaseClock(pool: Pool, log: Log, everyMs = lookMs): Promise<DatabaseClock> {
  /** What is to be added to the monotonic clock; at first, until the database answers, by the time of this machine. */
  let offset = Date.now() - performance.now()
  let isLooking = false
  const look = async (): Promise<void> => {
    const before = performance.now()
    const text = 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms'
    const [row] = await queryRows<{ ms: number }>(pool, text)
    const halfTrip = (performance.now() - before) / 2
    const seen = (row?.ms ?? 0) - before - halfTrip
    // What the way there and back may explain is no difference: the clock does not tremble.
    if (row && Math.abs(seen - offset) > halfTrip) offset = seen
  }
  const lookSafely = async () => {
    if (isLooking) return
    isLooking = true
    await look()
      .catch((error: unknown) => log.debug({ error: reason(error) }, 'the database could not be asked for the time'))
      .finally(() => (isLooking = false))
  }
  await lookSafely()
  const timer = setInterval(() => void lookSafely(), everyMs).unref()
  return { now: () => new Date(offset + performance.now()), [Symbol.dispose]: () => clearInterval(timer) }
}
