import type { Config, Role } from '../config.ts'
import { schedulePgCron, unschedulePgCron, type PgCron } from '../db/pg-cron.ts'
import type { Pool } from '../db/pool.ts'
import { readClock } from '../domain/schedules/clock.ts'
import type { Log } from '../log.ts'
import { tickSeconds } from './clock.ts'

type Place = { pool: Pool; directUrl: string; log: Log }

/**
 * Lets pg_cron drive the schedules where it can be had; where it cannot, one line of the log says why, and a worker
 * drives. Only a process that may migrate changes pg_cron's job; any other goes by what the clock says. Answers who drives, for people.
 */
export async function arrangeDriver({ role, database }: Config, { pool, directUrl, log }: Place): Promise<string> {
  const found = await (database.migrate ? changeJob(database.pgCron, directUrl) : readDriver(pool))
  if ('reason' in found) log.info({ reason: found.reason }, 'pg_cron does not drive the schedules: a worker does')
  else log.info({ home: found.home }, 'pg_cron drives the schedules')
  return describeDriver(role, found)
}

/** As `arrangeDriver` does for a process that may migrate; `freshet migrate` does no more than this. */
export async function changeJob(isWanted: boolean, directUrl: string): Promise<PgCron> {
  if (isWanted) return schedulePgCron(directUrl)
  await unschedulePgCron(directUrl)
  return { reason: 'FRESHET_PG_CRON is false' }
}

async function readDriver(pool: Pool): Promise<PgCron> {
  const { driver } = await readClock(pool)
  return driver === 'pg_cron' ? { home: 'the cluster' } : { reason: 'it has not called; "freshet migrate" lets it' }
}

/** Who drives the schedules, as seen from a process of this role. */
export function describeDriver(role: Role, found: PgCron): string {
  if ('home' in found) return 'pg_cron, every minute; a worker takes over if it stops'
  const worker = role === 'api' ? 'a worker process' : `this process's own clock, every ${tickSeconds} s`
  return `${worker} (pg_cron: ${found.reason})`
}
