import type pg from 'pg'
import type { Change } from './cron-oracle.ts'

const dayMs = 86_400_000

/** Where clocks change from 2024 to 2031, as this Postgres knows it: first the days, then the half hour. */
export async function findChanges(pool: pg.Pool, zones: string[]): Promise<Change[]> {
  const first = new Date(Date.UTC(2024, 0))
  const days = await Promise.all(zones.map((zone) => changesFrom(pool, zone, first, '24 hours', 8 * 366)))
  const halfHours = days.flat().map(({ zone, at }) => changesFrom(pool, zone, new Date(at - dayMs), '30 minutes', 48))
  return (await Promise.all(halfHours)).flat()
}

async function changesFrom(pool: pg.Pool, zone: string, from: Date, step: string, count: number): Promise<Change[]> {
  const sql =
    "select at, (at at time zone $1) at time zone 'UTC' as wall from (select $2::timestamptz + place * $3::interval as at from generate_series(0, $4) as place) as s"
  const { rows } = await pool.query<{ at: Date; wall: Date }>(sql, [zone, from, step, count])
  const offsets = rows.map(({ at, wall }) => wall.getTime() - at.getTime())
  return rows.flatMap(({ at }, index) => {
    const [before = 0, after = 0] = [offsets[index - 1] ?? offsets[index], offsets[index]]
    return before === after ? [] : [{ zone, at: at.getTime(), before, after }]
  })
}
