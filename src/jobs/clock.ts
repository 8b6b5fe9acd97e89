import { hostname } from 'node:os'
import type { Pool } from '../db/pool.ts'
import { reason, type Log } from '../log.ts'

export const tickSeconds = 5
const leaseSeconds = 15

/**
 * A worker's own clock: it offers to drive the schedules every five seconds. The database decides who does: one driver
 * at a time holds the lease, and another worker takes over when it runs out.
 */
export async function startClock(pool: Pool, log: Log, everyMs = tickSeconds * 1000): Promise<AsyncDisposable> {
  const driver = `worker ${hostname()}:${process.pid}`
  let drives: boolean | undefined
  const tick = async () => {
    try {
      const values = [driver, `${leaseSeconds} seconds`]
      const { rows } = await pool.query<{ drives: boolean }>({
        name: 'tick',
        text: 'select freshet.tick($1, $2::interval, now()) as drives',
        values,
      })
      const now = rows[0]?.drives ?? false
      if (now !== drives)
        log.info({ driver }, now ? 'this worker drives the schedules' : 'another worker drives the schedules')
      drives = now
    } catch (error) {
      log.warn({ error: reason(error) }, 'the clock could not tick')
    }
  }
  await tick()
  let ticking: Promise<void> | undefined
  // A beat that falls due while one is still under way is left out: they must not pile up before a slow database.
  const timer = setInterval(() => (ticking ??= tick().finally(() => (ticking = undefined))), everyMs)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await ticking
    },
  }
}
