import type { Pool } from '../../db/pool.ts'
import { clockProblem, lateSeconds, watchClock, type ClockState } from '../../domain/schedules/clock.ts'
import { reason, type Log } from '../../log.ts'
import { repeat } from '../kit/repeat.ts'

/** How often each process looks whether the clock is late. */
export const watchSeconds = 10

/** What a process knows of the clock without asking the database again. */
export type ClockWatch = AsyncDisposable & {
  /** Seconds since the last tick; it goes on counting while the database cannot be asked. NaN: there was none yet. */
  lagSeconds: () => number
  /** What is wrong with the clock; nothing if it beats in time. */
  problem: () => string | undefined
}

type Seen = ClockState & { atMs: number }

/** Every process watches the clock, whoever drives it: an API process raises the alert when no worker is left. */
export async function startClockWatch(pool: Pool, log: Log, everyMs = watchSeconds * 1000): Promise<ClockWatch> {
  let seen: Seen | undefined
  let wasLate = false
  const look = async () => {
    try {
      const state = await watchClock(pool)
      seen = { ...state, atMs: performance.now() }
      if (state.isLate !== wasLate)
        log[state.isLate ? 'error' : 'info'](
          { driver: state.driver, lagSeconds: state.lagSeconds },
          state.isLate ? 'the clock is late' : 'the clock beats again',
        )
      wasLate = state.isLate
    } catch (error) {
      log.warn({ error: reason(error) }, 'the clock could not be watched')
    }
  }
  const looks = await repeat(look, everyMs)
  const lagSeconds = () => (seen?.lagSeconds ?? Number.NaN) + (performance.now() - (seen?.atMs ?? 0)) / 1000
  return {
    lagSeconds,
    problem() {
      if (!seen) return undefined
      // What was seen last says nothing of the time since: the database may not answer the watch either.
      const lag = lagSeconds()
      return clockProblem(lag > lateSeconds ? { ...seen, lagSeconds: lag, isLate: true } : seen)
    },
    [Symbol.asyncDispose]: () => looks[Symbol.asyncDispose](),
  }
}
