import { hostname } from 'node:os'
import type { Pool } from '../db/pool.ts'
import { reason, type Log } from '../log.ts'

export const tickSeconds = 5
const leaseSeconds = 15

type Beat = { drives: boolean; claimed: number }

/**
 * A worker's own clock: it offers to drive the schedules every five seconds. The database decides who does: one driver
 * at a time holds the lease, and another worker takes over when it runs out. pg_cron, where it calls, comes first.
 */
export async function startClock(pool: Pool, log: Log, everyMs = tickSeconds * 1000): Promise<AsyncDisposable> {
  const driver = `worker ${hostname()}:${process.pid}`
  let drives: boolean | undefined
  const tick = async () => {
    try {
      const values = [driver, `${leaseSeconds} seconds`]
      const text = 'select drives, claimed from freshet.tick($1, $2::interval, now())'
      const began = performance.now()
      const { rows } = await pool.query<Beat>({ name: 'tick', text, values })
      const beat = rows[0] ?? { drives: false, claimed: 0 }
      if (beat.drives !== drives)
        log.info({ driver }, beat.drives ? 'this worker drives the schedules' : 'another clock drives the schedules')
      const tickDurationMs = Math.round(performance.now() - began)
      if (beat.drives) log.debug({ event: 'SCHEDULER_TICK', claimed: beat.claimed, tickDurationMs }, 'the clock ticked')
      drives = beat.drives
    } catch (error) {
      log.warn({ error: reason(error) }, 'the clock could not tick')
    }
  }
  const release = async () => {
    try {
      if (drives) await pool.query('select freshet.release_clock($1, now())', [driver])
    } catch (error) {
      log.warn({ error: reason(error) }, 'the clock could not be handed over: its lease runs out by itself')
    }
  }
  const beats = await repeat(tick, everyMs)
  return {
    async [Symbol.asyncDispose]() {
      await beats[Symbol.asyncDispose]()
      await release()
    },
  }
}

/**
 * Does something now and then again at every beat. A beat that falls due while one is still under way is left out: they
 * must not pile up before a slow database.
 */
export async function repeat(work: () => Promise<void>, everyMs: number): Promise<AsyncDisposable> {
  await work()
  let working: Promise<void> | undefined
  const timer = setInterval(() => (working ??= work().finally(() => (working = undefined))), everyMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await working
    },
  }
}
