import pg from 'pg'
import { reason, type Log } from '../log.ts'
import { within } from '../within.ts'

export type Pool = pg.Pool

/**
 * `statementMs` is left out behind a pooler: it is sent when connecting, which poolers refuse. `answerMs`, which stays on this
 * side, is longer: on a connection that died silently no statement is ever answered, or cancelled.
 */
type PoolOptions = { size: number; log: Log; statementMs?: number | undefined; answerMs?: number | undefined }

const graceMs = 1_000

/** The connections that requests share. A lost idle connection is logged and replaced, it never ends the process. */
export function connectPool(url: string, { size, log, statementMs, answerMs }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    application_name: 'freshet',
    ...(statementMs === undefined ? {} : { statement_timeout: statementMs }),
    ...(answerMs === undefined ? {} : { query_timeout: answerMs }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  pool.on('error', (error) => log.warn({ error: reason(error) }, 'an idle database connection was lost'))
  return pool
}

/** Closes the connections. One that is still at work has a moment to finish, then it is cut: nobody waits for its answer. */
export async function endPool(pool: Pool): Promise<void> {
  await within(graceMs, pool.end(), () => {})
  // pg-pool keeps its clients to itself; those that are left now were never given back.
  const { _clients: left } = pool as unknown as { _clients: pg.Client[] }
  for (const client of left) client.end().catch(() => {})
}
