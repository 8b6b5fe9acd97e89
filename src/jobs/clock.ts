import { hostname } from 'node:os'
import type { Pool } from '../db/pool.ts'
import type { Log } from '../log.ts'

export const tickSeconds = 5
const leaseSeconds = 15

/**
 * A worker's own clock: it offers to drive the schedules every five seconds. The database decides who does: one driver
 * at a time holds the lease, and another worker takes over when it runs out.
 */
export async function startClock(pool: Pool, log: Log): Promise<AsyncDisposable> {
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
      log.warn({ error: (error as Error).message }, 'the clock could not tick')
    }
  }
  await tick()
  let ticking = Promise.resolve()
  const timer = setInterval(() => (ticking = ticking.then(tick)), tickSeconds * 1000)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await ticking
    },
  }
}
