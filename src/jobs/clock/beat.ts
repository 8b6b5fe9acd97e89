import { hostname } from 'node:os'
import type { Pool } from '../../db/pool.ts'
import { offerTick, releaseClock } from '../../domain/schedules/clock.ts'
import { tellEnqueued } from '../../domain/schedules/tell-enqueued.ts'
import { reason, type Log } from '../../log.ts'
import { repeat } from '../kit/repeat.ts'

/** How often a worker offers to drive the schedules. */
export const tickSeconds = 5

/** How this process calls itself when it drives the clock. */
export const ownDriver = `worker ${hostname()}:${process.pid}`

/**
 * A worker's own clock: it offers to drive the schedules every five seconds. The database decides who does: one driver
 * at a time holds the lease, and another worker takes over when it runs out. pg_cron, where it calls, comes first.
 */
export async function startClock(pool: Pool, log: Log, everyMs = tickSeconds * 1000): Promise<AsyncDisposable> {
  const driver = ownDriver
  let drives: boolean | undefined
  const tick = async () => {
    try {
      const began = performance.now()
      const beat = await offerTick(pool, driver)
      if (beat.drives !== drives)
        log.info({ driver }, beat.drives ? 'this worker drives the schedules' : 'another clock drives the schedules')
      const tickDurationMs = Math.round(performance.now() - began)
      if (beat.drives) log.debug({ event: 'SCHEDULER_TICK', claimed: beat.claimed, tickDurationMs }, 'the clock ticked')
      if (beat.claimed > 0) await tellEnqueued(pool, driver, log)
      drives = beat.drives
    } catch (error) {
      log.warn({ error: reason(error) }, 'the clock could not tick')
    }
  }
  const release = async () => {
    try {
      if (drives) await releaseClock(pool, driver)
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
