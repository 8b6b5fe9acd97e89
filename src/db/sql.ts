import type { ClientBase, Pool } from 'pg'
import type { Tx } from './prisma.ts'

/** Whatever can run a statement: a transaction of Prisma's, the connection of a run, or the pool (each statement for itself). */
export type Sql = Tx | ClientBase | Pool

/** One connection of pg's: it may be in a transaction, and takes COPY. */
export type Connection = ClientBase

/** One connection, so that what is written over it may be one transaction with what its caller writes: never the pool. */
export type InTx = Tx | ClientBase

/** Runs one statement and answers its rows. Values go beside the text, never into it. */
export async function queryRows<Row extends object>(sql: Sql, text: string, values: unknown[] = []): Promise<Row[]> {
  if ('$queryRawUnsafe' in sql) return sql.$queryRawUnsafe<Row[]>(text, ...values)
  return (await sql.query<Row>(text, values)).rows
}

type Statement = { name: string; text: string; values: unknown[] }

/**
 * Runs one statement that must be answered in time. A connection that died silently never answers: this one is then thrown
 * away, and the next try gets another.
 */
export async function queryWithin<Row extends object>(pool: Pool, ms: number, statement: Statement): Promise<Row[]> {
  const limited: Statement = Object.assign({ query_timeout: ms }, statement) // pg knows it, its types do not
  return (await pool.query<Row>(limited)).rows
}
