import pg from 'pg'
import type { Log } from '../log.ts'

export type Pool = pg.Pool

/** `statementMs` is left out behind a pooler: it is sent when connecting, which poolers refuse. */
type PoolOptions = { size: number; log: Log; statementMs?: number | undefined }

/** The connections that requests share. A lost idle connection is logged and replaced, it never ends the process. */
export function connectPool(url: string, { size, log, statementMs }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    application_name: 'freshet',
    ...(statementMs === undefined ? {} : { statement_timeout: statementMs }),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  pool.on('error', (error) => log.warn({ error: error.message }, 'an idle database connection was lost'))
  return pool
}
