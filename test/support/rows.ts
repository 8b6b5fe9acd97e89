import type pg from 'pg'

/** A pool or one of its connections. */
export type Queryable = Pick<pg.Pool, 'query'>

type Columns = Record<string, unknown>

let count = 0

/** Inserts a row, what is not given as the table makes it, and answers its id. */
export async function insertRow(db: Queryable, table: string, row: Columns): Promise<string> {
  const places = Object.keys(row).map((_, index) => `$${index + 1}`)
  const sql = `insert into freshet.${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')}) returning id`
  return (await db.query<{ id: string }>(sql, Object.values(row))).rows[0]!.id
}

/** A retailer, by default with nothing to it. */
export async function aRetailer(db: Queryable, columns: Columns = {}): Promise<string> {
  const slug = `shop-${++count}`
  return insertRow(db, 'retailers', { slug, name: slug, ...columns })
}

/** A source of a retailer, by default as the table makes it. */
export async function aSource(db: Queryable, retailerId: string, columns: Columns = {}): Promise<string> {
  return insertRow(db, 'sources', { retailer_id: retailerId, name: `source-${++count}`, ...columns })
}

/** The queue that schedules of tests go into; its jobs are worked by nobody. */
export const trialQueue = 'trial'

/** A schedule, by default one that is due every minute. */
export async function aSchedule(db: Queryable, columns: Columns = {}): Promise<string> {
  const name = `trial-${++count}`
  const period = 'cron' in columns ? {} : { period_seconds: 60 }
  return insertRow(db, 'schedules', { name, kind: name, queue: trialQueue, ...period, ...columns })
}
