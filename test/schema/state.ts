import type pg from 'pg'

/**
 * Every row of every table of ours, but for what moves by itself: the clock, when a key was last used, and the places of
 * events among all runs'. With them the jobs of queues that nobody works.
 */
export async function readState(pool: pg.Pool): Promise<Record<string, unknown>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'freshet' and tablename not in ('clock', 'applied_sql', 'event_stream') order by 1",
  )
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, jsonb_agg(to_jsonb(t) - 'last_used_at' - 'position' order by (to_jsonb(t) - 'last_used_at' - 'position')::text) as content from freshet.${name} t`,
  )
  const jobs =
    "select 'job' as name, jsonb_agg(to_jsonb(t) order by t.id) as content from pgboss.job t where t.name like 'fixture-%'"
  const { rows } = await pool.query<{ name: string; content: unknown }>([...parts, jobs].join(' union all '))
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

export const countAudit = async (pool: pg.Pool): Promise<number> =>
  (await pool.query<{ n: number }>('select count(*)::int as n from freshet.audit_log')).rows[0]!.n
