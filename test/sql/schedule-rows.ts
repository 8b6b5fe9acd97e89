import type pg from 'pg'

type Queryable = Pick<pg.Pool, 'query'>

let count = 0

/** The queue that schedules of tests go into; its jobs are worked by nobody. */
export const trialQueue = 'trial'

/** Makes queues that are there for a test alone. */
export async function makeQueues(db: Queryable, ...names: string[]): Promise<void> {
  for (const name of names) await db.query(`select pgboss.create_queue($1, '{"policy":"standard"}')`, [name])
}

/** A schedule, by default one that is due every minute; answers its id. */
export async function aSchedule(db: Queryable, values: Record<string, unknown> = {}): Promise<string> {
  const name = `trial-${++count}`
  const period = 'cron' in values ? {} : { period_seconds: 60 }
  const row = { name, kind: name, queue: trialQueue, ...period, ...values }
  const places = Object.keys(row).map((_, index) => `$${index + 1}`)
  const sql = `insert into freshet.schedules (${Object.keys(row).join(', ')}) values (${places.join(', ')}) returning id`
  return (await db.query<{ id: string }>(sql, Object.values(row))).rows[0]!.id
}
