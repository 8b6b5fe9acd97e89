import type { Config } from '../../config.ts'
import { openDatabase, type Database } from '../../db/open.ts'
import { lookAtPgCron } from '../../db/pg-cron.ts'
import { reachDatabase } from '../../db/reach.ts'
import { checkAlerts } from './alerts.ts'
import { checkClockDriver, checkClockSkew } from './clock.ts'
import { failFrom, ok, fail, warn, type Finding } from './finding.ts'
import { checkMigrations } from './migrations.ts'
import { judgePgCron } from './pg-cron.ts'
import { checkQueues } from './queues.ts'
import { checkRights } from './rights.ts'

const check = 'database'
const oldest = 15
const newest = 18

type Surroundings = { now: () => Date; signal: AbortSignal; wait: <Result>(work: Promise<Result>) => Promise<Result> }

/** Everything that can be asked of the database. What cannot be reached is one failure, not ten. */
export async function checkDatabase(config: Config, { now, signal, wait }: Surroundings): Promise<Finding[]> {
  await using resources = new AsyncDisposableStack()
  let database: Database
  try {
    database = resources.use(await openDatabase(config, { signal }))
  } catch (error) {
    signal.throwIfAborted()
    return [failFrom(check, error, 'Mend what the message names.')]
  }
  return await wait(examine(config, database, now))
}

async function examine(config: Config, database: Database, now: () => Date): Promise<Finding[]> {
  try {
    await using client = await reachDatabase(database.directUrl)
    const { rows } = await client.query<{ version: string; number: number }>(
      "select current_setting('server_version') as version, current_setting('server_version_num')::int as number",
    )
    const { version = '', number = 0 } = rows[0] ?? {}
    const reached = judgeVersion(version, number, database.description)
    const pooled = database.url === database.directUrl ? [] : [await checkPooled(database.url)]
    if (reached.verdict === 'fail') return [reached, ...pooled]
    return [
      reached,
      ...pooled,
      ...(await checkMigrations(database, config.database.migrate)),
      await checkRights(client, config.database.migrate),
      judgePgCron(await lookAtPgCron(database.directUrl)),
      await checkClockSkew(client, now),
      ...(await checkClockDriver(client)),
      ...(await checkQueues(client, now())),
      ...(await checkAlerts(client)),
    ]
  } catch (error) {
    return [failFrom(check, error, 'Try again; if it stays, look into the log of Postgres.')]
  }
}

/** Freshet is tested on Postgres 15 to 18. */
export function judgeVersion(version: string, number: number, place: string): Finding {
  const major = Math.floor(number / 10_000)
  const shown = `Postgres ${version.split(' ')[0]} (${place})`
  if (major < oldest) return fail(check, `${shown} is too old`, `Upgrade to Postgres ${oldest} or newer.`)
  if (major > newest)
    return warn(check, `${shown} is newer than what was tested`, `Postgres ${oldest} to ${newest} is known to work.`)
  return ok(check, shown)
}

async function checkPooled(url: string): Promise<Finding> {
  try {
    await using client = await reachDatabase(url)
    await client.query('select 1')
    return ok('pooler', 'DATABASE_URL answers, beside DATABASE_DIRECT_URL')
  } catch (error) {
    return failFrom('pooler', error, 'Correct DATABASE_URL.')
  }
}
