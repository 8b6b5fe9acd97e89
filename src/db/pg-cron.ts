import type { ClientBase } from 'pg'
import { reason } from '../log.ts'
import { readQuery } from './query.ts'
import { reachDatabase } from './reach.ts'

/** Whether pg_cron calls our clock, from the database it lives in; or why it cannot, and what would help. */
export type PgCron = { home: string } | { reason: string }

/** The job that calls the clock. `status` and `message` are those of its last run; null: there was none. */
export type PgCronJob = {
  isActive: boolean
  schedule: string
  command: string
  database: string
  status: string | null
  message: string | null
}

type Place = { database: string; home: string | null; available: string | null; installed: string | null }

const schedule = '* * * * *'
const command = 'select freshet.tick()'
const hidden = 'it is not in shared_preload_libraries, or this role may not read its settings (pg_read_all_settings)'
const jobName = (database: string) => `freshet.${database}.tick`

/**
 * Lets pg_cron call the clock every minute, where it can be had: in this database, or in the one of the cluster that it
 * lives in. Any number of processes may do so at once, and again at each deploy.
 */
export async function schedulePgCron(directUrl: string): Promise<PgCron> {
  return withPgCron(directUrl, async (client, database) => {
    await client.query('create extension if not exists pg_cron')
    const job = await readJob(client, database)
    if (job?.schedule === schedule && job.command === command && job.database === database) return
    const { rows } = await client.query<{ isHome: boolean }>('select current_database() = $1 as "isHome"', [database])
    const values = [jobName(database), schedule, command]
    if (rows[0]?.isHome) await client.query('select cron.schedule($1, $2, $3)', values)
    else await client.query('select cron.schedule_in_database($1, $2, $3, $4)', [...values, database])
  })
}

/** Takes the job away again, for who wants a worker to drive, and the clock with it: nobody waits for its lease. */
export async function unschedulePgCron(directUrl: string): Promise<void> {
  await withPgCron(directUrl, async (client, database) => {
    if (await readJob(client, database)) await client.query('select cron.unschedule($1)', [jobName(database)])
  })
  await using client = await reachDatabase(directUrl)
  await client.query('select freshet.dismiss_pg_cron(now())')
}

/**
 * Deletes old notes about the clock's calls where pg_cron lives in another database, which no SQL of ours reaches; here
 * `freshet.prune_cron_history` does. Answers how many. Fails where the role may not: docs/operations.md says who may.
 */
export async function prunePgCronHistory(
  directUrl: string,
  { keep, now, maxRows }: { keep: string; now: Date; maxRows: number },
): Promise<number> {
  let rows = 0
  await reachPgCron(directUrl, async (client, database, home) => {
    if (home === database || !(await hasTable(client, 'cron.job_run_details'))) return
    const { rowCount } = await client.query(readQuery('pg_cron_prune'), [database, keep, now, maxRows])
    rows = rowCount ?? 0
  })
  return rows
}

/** Looks without changing anything: the job, or the reason why there is none. */
export async function lookAtPgCron(directUrl: string): Promise<PgCron & { job?: PgCronJob | undefined }> {
  let job: PgCronJob | undefined
  const found = await withPgCron(directUrl, async (client, database) => {
    job = await readJob(client, database)
  })
  return { ...found, job }
}

type Work = (client: ClientBase, database: string, home: string) => Promise<void>

/** The same where a failure is an answer: who starts goes on without pg_cron, and says why. */
const withPgCron = (directUrl: string, work: Work): Promise<PgCron> =>
  reachPgCron(directUrl, work).catch((error: unknown) => ({ reason: reason(error).replace(/\.$/, '') }))

/** Works in the database that pg_cron lives in, where there is one to be found. */
async function reachPgCron(directUrl: string, work: Work): Promise<PgCron> {
  await using client = await reachDatabase(directUrl)
  const { rows } = await client.query<Place>(readQuery('pg_cron_place'))
  const { database, available, installed, ...place } = rows[0]!
  const home = installed ? database : place.home
  if (!available) return { reason: 'this server does not have the extension' }
  if (!home) return { reason: hidden }
  if (home === database) await work(client, database, home)
  else {
    await using there = await reachDatabase(urlOf(directUrl, home))
    await work(there, database, home)
  }
  return { home }
}

async function readJob(client: ClientBase, database: string): Promise<PgCronJob | undefined> {
  if (!(await hasTable(client, 'cron.job'))) return undefined
  return (await client.query<PgCronJob>(readQuery('pg_cron_job'), [jobName(database)])).rows[0]
}

async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [name])
  return rows[0]?.isThere ?? false
}

function urlOf(directUrl: string, database: string): string {
  const address = new URL(directUrl)
  address.pathname = `/${encodeURIComponent(database)}`
  return address.href
}
