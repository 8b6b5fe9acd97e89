import type pg from 'pg'
import { queryRows, type Sql } from '../../src/db/sql.ts'
import { at } from './moment.ts'

export type Raise = {
  kind?: string
  severity?: 'P1' | 'P2' | 'P3'
  subject?: string
  key?: string
  message?: string
  details?: object | null
  sourceId?: string | null
  runId?: string | null
  now?: Date
}

const text = `select freshet.raise_alert($1, $2::freshet.alert_severity, $3, $4, $5, $6::jsonb, $7::timestamptz, $8::bigint, $9::bigint)::text as id`

/** Raises an alert as a function of ours would; answers its id. */
export async function raise(sql: Sql, given: Raise = {}): Promise<string> {
  const { kind = 'RUN_FAILED', severity = 'P3', subject = 'feed 1', key = 'feed:1', message = 'It failed.' } = given
  const { details = {}, sourceId = null, runId = null, now = at(0) } = given
  const values = [kind, severity, subject, key, message, details && JSON.stringify(details), now, sourceId, runId]
  return (await queryRows<{ id: string }>(sql, text, values))[0]!.id
}

export const resolve = async (pool: pg.Pool, key: string, now: Date): Promise<boolean> =>
  (await pool.query<{ done: boolean }>('select freshet.resolve_alert($1, $2) as done', [key, now])).rows[0]!.done

/** The jobs of the queue that delivers, whatever their state. */
export const countJobs = async (pool: pg.Pool): Promise<number> =>
  (await pool.query<{ n: number }>("select count(*)::int as n from pgboss.job where name = 'notify'")).rows[0]!.n

/** No alerts, no jobs, and nobody who delivers. */
export async function clearAlerts(pool: pg.Pool): Promise<void> {
  await pool.query('delete from freshet.alerts')
  await pool.query('update freshet.alert_stream set job_id = null, free_at = null, gave_up_at = null')
  await pool.query("delete from pgboss.job where name = 'notify'")
}
