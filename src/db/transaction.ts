import type { Client, PoolClient } from 'pg'
import type { Pool } from './pool.ts'

/** Runs `work` in one transaction on a connection of the pool: all of it is kept or, if it throws, nothing. */
export async function inTransaction<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let lost: Error | undefined
  try {
    return await transact(
      client,
      () => work(client),
      (error) => (lost = error), // the pool must not hand it out again
    )
  } finally {
    client.release(lost)
  }
}

/**
 * Runs `work` in one transaction of this connection. There is none inside another: its commit would commit both. Work that
 * goes on after a statement of its failed is refused, because Postgres answers its commit with a rollback and no error.
 */
export async function transact<Result>(
  client: Pick<Client, 'query' | 'getTransactionStatus'>,
  work: () => Promise<Result>,
  onLost: (error: Error) => void = () => {}, // a lost connection has rolled back by itself
): Promise<Result> {
  const status = client.getTransactionStatus()
  if (status === 'T' || status === 'E')
    throw new Error('A transaction is open on this connection already: do this work in it, or after it.')
  try {
    await client.query('begin')
    const result = await work()
    const { command } = await client.query('commit')
    if (command !== 'COMMIT')
      throw new Error('A statement failed and the work went on, so nothing of it was kept: let the error through.')
    return result
  } catch (error) {
    await client.query('rollback').catch(onLost)
    throw error
  }
}
