import type pg from 'pg'

/** What moves by itself: the clock, when a key was last used, and the places of events among all runs'. */
const moving = "- 'last_used_at' - 'position'"
const movingTables = ['clock', 'applied_sql', 'event_stream']

/**
 * A fingerprint of every table of ours, but for what moves by itself, and of the jobs of queues that nobody works here: the
 * number of its rows and the sum of their hashes, so that a change of any row shows.
 */
export async function readState(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'freshet' and tablename <> all ($1) order by 1",
    [movingTables],
  )
  const print = (row: string) => `count(*) || ' ' || coalesce(sum(hashtextextended((${row})::text, 0)), 0)`
  const parts = tables.map(
    ({ name }) => `select '${name}' as name, ${print(`to_jsonb(t) ${moving}`)} as content from freshet.${name} t`,
  )
  const jobs = `select 'job' as name, ${print('to_jsonb(t)')} as content from pgboss.job t where t.name like 'fixture-%' or t.name like 'feed-%'`
  const { rows } = await pool.query<{ name: string; content: string }>([...parts, jobs].join(' union all '))
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

export const countAudit = async (pool: pg.Pool): Promise<number> =>
  (await pool.query<{ n: number }>('select count(*)::int as n from freshet.audit_log')).rows[0]!.n
