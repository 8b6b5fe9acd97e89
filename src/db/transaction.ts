import type { PoolClient } from 'pg'
import type { Pool } from './pool.ts'

/** Runs `work` in one transaction on a connection of the pool: all of it is kept or, if it throws, nothing. */
export async function inTransaction<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  let lost: Error | undefined
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch((failed: Error) => (lost = failed)) // the pool must not hand it out again
    throw error
  } finally {
    client.release(lost)
  }
}
