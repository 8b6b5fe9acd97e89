import type { ClientBase } from 'pg'
import { readQuery } from '../query.ts'
import { accessDenied, isStatementError } from './errors.ts'

/** How far a database has come. */
export type DatabaseState = {
  /** As `server_version_num`: 180004 is 18.4. */
  serverVersion: number
  /** The version of the queue's tables; null where they are not installed. */
  queueVersion: number | null
  /** Migrations that ran, in the order they ran. */
  migrations: string[]
  /** Files as they were last applied, and the version of the program that did it. */
  applied: { path: string; hash: string; objects: string[]; program: string }[]
  /** Functions, views and triggers that exist. */
  objects: string[]
}

/** Reads how far a database has come, with a few small queries and no lock. */
export async function readState(client: ClientBase): Promise<DatabaseState> {
  type Catalog = { server_version: number; records: string[]; objects: string[] }
  const { rows } = await client.query<Catalog>(readQuery('migration_state'))
  const [catalog] = rows
  if (!catalog) throw new Error('The catalogs gave no answer.')
  const readRecord = async <Row extends object>(table: string, sql: string): Promise<Row[]> =>
    catalog.records.includes(table) ? (await client.query<Row>(sql)).rows : []
  try {
    const [queue] = await readRecord<{ version: number }>('pgboss.version', 'select version from pgboss.version')
    const migrations = await readRecord<{ name: string }>(
      'freshet.migrations',
      'select name from freshet.migrations order by run_on, id',
    )
    const applied = await readRecord<DatabaseState['applied'][number]>(
      'freshet.applied_sql',
      'select path, hash, objects, program from freshet.applied_sql',
    )
    return {
      serverVersion: catalog.server_version,
      queueVersion: queue?.version ?? null,
      migrations: migrations.map(({ name }) => name),
      applied,
      objects: catalog.objects,
    }
  } catch (error) {
    if (isStatementError(error) && error.code === '42501') throw accessDenied(error.message, error)
    throw error
  }
}
