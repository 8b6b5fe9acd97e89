import type { Config, Role } from '../../config.ts'
import { lookAtPgCron, schedulePgCron, unschedulePgCron, type PgCron } from '../../db/pg-cron.ts'
import type { Pool } from '../../db/pool.ts'
import { leaseSeconds, readClock, type ClockState } from '../../domain/schedules/clock.ts'
import type { Log } from '../../log.ts'
import { ownDriver, tickSeconds } from './beat.ts'

type Place = { pool: Pool; directUrl: string; log: Log }

/**
 * Lets pg_cron drive the schedules where it can be had; where it cannot, one line of the log says why, and a worker
 * drives. Only a process that may migrate changes pg_cron's job; any other goes by what it finds.
 */
export async function arrangeDriver({ database }: Config, { pool, directUrl, log }: Place): Promise<PgCron> {
  const found = await (database.migrate ? changeJob(database.pgCron, directUrl) : findJob(pool, directUrl))
  if ('reason' in found) log.info({ reason: found.reason }, 'pg_cron does not drive the schedules: a worker does')
  else log.info({ home: found.home }, 'pg_cron drives the schedules')
  return found
}

/** As `arrangeDriver` does for a process that may migrate; `freshet migrate` does no more than this. */
export async function changeJob(isWanted: boolean, directUrl: string): Promise<PgCron> {
  if (isWanted) return schedulePgCron(directUrl)
  await unschedulePgCron(directUrl)
  return { reason: 'FRESHET_PG_CRON is false' }
}

/** The clock knows whether pg_cron calls, even where this role may not look at its jobs. */
async function findJob(pool: Pool, directUrl: string): Promise<PgCron> {
  const { driver, isLate } = await readClock(pool)
  if (driver === 'pg_cron' && !isLate) return { home: 'the cluster' }
  const { job, ...found } = await lookAtPgCron(directUrl)
  return 'home' in found && !job ? { reason: 'it has no job yet; "freshet migrate" as the owner makes it' } : found
}

/** Who drives the schedules, as seen from a process of this role. */
export function describeDriver(role: Role, found: PgCron, { driver, lagSeconds }: Partial<ClockState> = {}): string {
  if ('home' in found) return 'pg_cron, every minute; a worker takes over if it stops'
  const why = `(pg_cron: ${found.reason})`
  if (role !== 'api' && driver === ownDriver) return `this process's own clock, every ${tickSeconds} s ${why}`
  if (driver && (lagSeconds ?? Infinity) < leaseSeconds) return `${driver}, every ${tickSeconds} s ${why}`
  return `a worker process, as soon as one runs ${why}`
}
