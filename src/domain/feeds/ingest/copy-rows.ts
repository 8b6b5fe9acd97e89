import { pipeline } from 'node:stream/promises'
import { from } from 'pg-copy-streams'
import type { Connection } from '../../../db/sql.ts'
import { encodeRows, type Cell, type ColumnKind } from './binary-rows.ts'

/** A table to copy into: its name, and its columns in order. */
export type Staging = { table: string; columns: Record<string, ColumnKind> }

/** Sends rows to a table by COPY, in the connection's transaction. */
export async function copyRows(sql: Connection, { table, columns }: Staging, rows: Iterable<Cell[]>): Promise<void> {
  const statement = `copy ${table} (${Object.keys(columns).join(', ')}) from stdin (format binary)`
  const bytes = encodeRows(Object.values(columns), rows)
  await pipeline([bytes], sql.query(from(statement)))
}
