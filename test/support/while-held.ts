import type pg from 'pg'
import { until } from './until.ts'

/**
 * Runs `work` while another transaction holds what `hold` took, lets that one go on with `then` once `work` waits for
 * it, commits it, and gives back what became of `work`.
 */
export async function whileHeld<Result>(
  pool: pg.Pool,
  hold: (client: pg.PoolClient) => Promise<unknown>,
  work: () => Promise<Result>,
  then: (client: pg.PoolClient) => Promise<unknown> = async () => {},
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await hold(client)
    const working = work()
    working.catch(() => {}) // awaited below, after the commit
    const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await until('the work waits', async () => (await pool.query(waiting)).rowCount)
    await then(client)
    await client.query('commit')
    return await working
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** Lets several wait for what `hold` took, one behind the other in this order, and gives back what became of each. */
export async function inTurn<Result>(
  pool: pg.Pool,
  hold: (client: pg.PoolClient) => Promise<unknown>,
  [first, ...others]: [() => Promise<Result>, ...(() => Promise<Result>)[]],
): Promise<Result[]> {
  const following: Promise<Result>[] = []
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const result = await whileHeld(pool, hold, first, async () => {
    for (const work of others) {
      const next = work()
      next.catch(() => {}) // awaited below, after the commit
      following.push(next)
      await until('it waits, too', async () => (await pool.query(waiting)).rowCount === 1 + following.length)
    }
  })
  return [result, ...(await Promise.all(following))]
}
