import type pg from 'pg'

type Queryable = Pick<pg.Pool, 'query'>

let count = 0

/** A retailer with nothing to it. */
export async function aRetailer(db: Queryable): Promise<string> {
  const sql = 'insert into freshet.retailers (slug, name) values ($1, $1) returning id'
  return idOf(await db.query<{ id: string }>(sql, [`shop-${++count}`]))
}

/** A source of a retailer, by default as the table makes it. */
export async function aSource(
  db: Queryable,
  retailerId: string,
  values: Record<string, unknown> = {},
): Promise<string> {
  const row = { retailer_id: retailerId, name: `source-${++count}`, ...values }
  const places = Object.keys(row).map((_, index) => `$${index + 1}`)
  const sql = `insert into freshet.sources (${Object.keys(row).join(', ')}) values (${places.join(', ')}) returning id`
  return idOf(await db.query<{ id: string }>(sql, Object.values(row)))
}

function idOf({ rows }: { rows: { id: string }[] }): string {
  if (!rows[0]) throw new Error('The insert returned no row.')
  return rows[0].id
}
