import type pg from 'pg'

const runs = `run as (select id, finished_at, row_number() over (order by id) as nth from freshet.runs where source_id = $1),
  own as (select id, identity_type || ' ' || identity_value as identity from freshet.offers where source_id = $1)`
const names = (ids: string) =>
  `(select md5(string_agg(o.identity_type || o.identity_value, ',' order by o.identity_type, o.identity_value collate "C"))
    from unnest(${ids}) as i(id) join freshet.offers o on o.id = i.id)`

/**
 * All that runs of a source leave, table by table, in words that do not depend on how many attempts it took: runs are told by
 * their order, offers by their identity, times by the run that ended then. Ids, times and events are left out.
 */
const queries = {
  offers: `select o.identity_type, o.identity_value, o.url_hash, o.folded_hash, o.version_hash, o.price_signature, o.price, o.currency,
      made.nth as made_by, said.nth as said_by, priced.nth as priced_by, o.priced_at = p.created_at as is_priced_then
    from freshet.offers o left join run made on made.id = o.created_by_run_id left join run said on said.id = o.version_run_id
    left join freshet.prices p on p.offer_id = o.id and p.id = o.price_id left join run priced on priced.id = p.run_id
    where o.source_id = $1`,
  versions: `select o.identity, run.nth, to_jsonb(v) - '{offer_id,run_id}'::text[] as said
    from freshet.offer_versions v join own o on o.id = v.offer_id join run on run.id = v.run_id`,
  prices: `select o.identity, run.nth, p.line, p.amount, p.reason, p.is_held, p.currency, p.signature, p.promo
    from freshet.prices p join own o on o.id = p.offer_id left join run on run.id = p.run_id`,
  presence: `select o.identity, seen.nth as seen_by, shown.nth as shown_by
    from freshet.offer_presence p join own o on o.id = p.offer_id
    left join run seen on seen.finished_at = p.last_seen_at left join run shown on shown.finished_at = p.last_seen_success_at`,
  current: `select o.identity, run.nth, to_jsonb(c) - '{offer_id,source_id,version_run_id}'::text[] as shown
    from freshet.current_offers c join own o on o.id = c.offer_id join run on run.id = c.version_run_id`,
  chunks: `select run.nth, c.number, ${names('c.seen')} as seen, ${names('c.written')} as written, ${names('c.created')} as created,
      ${names('c.heartbeats')} as heartbeats
    from freshet.feed_run_chunks c join run on run.id = c.run_id`,
  promotions: `select run.nth, shown.nth as set, p.kind, p.at = run.finished_at as is_at_its_end
    from freshet.promotions p join run on run.id = p.run_id join run shown on shown.id = p.set_run_id`,
  runs: `select run.nth, r.trigger, r.status, r.stage, r.counters, r.error_count, r.error_code, r.is_counted
    from freshet.runs r join run using (id)`,
  judged: `select run.nth, to_jsonb(f) - '{run_id,feed_id,place,request,evaluated_at}'::text[] as judged
    from freshet.feed_runs f join run on run.id = f.run_id`,
  errors: `select run.nth, e.code, e.line, regexp_replace(e.message, '[0-9]+', '#', 'g') as message, e.details - 'offerId' as details
    from freshet.run_errors e join run on run.id = e.run_id`,
  totals: `select run.nth, t.code, t.total from freshet.run_error_totals t join run on run.id = t.run_id`,
  feed: `select f.last_remote_mtime, f.last_remote_size, f.last_content_hash, f.consecutive_failures, f.status, run.nth as last_run
    from freshet.feeds f left join run on run.finished_at = f.last_run_at where f.source_id = $1`,
  holds: `select run.nth, h.counts, h.ended_at is null as is_open from freshet.source_holds h join run on run.id = h.run_id`,
  alerts: `select a.kind, a.severity, a.resolved_at is null as is_open from freshet.alerts a where a.source_id = $1`,
} as const

export type Leavings = Record<string, { rows: number; digest: string | null }>

/** How many rows each table has of a source, and a digest of them all, whatever their order. */
export async function leavingsOf(pool: pg.Pool, sourceId: string): Promise<Leavings> {
  const leavings: Leavings = {}
  for (const [name, sql] of Object.entries(queries)) {
    const { rows } = await pool.query<Leavings[string]>(
      `with ${runs}, it as (${sql})
       select count(*)::int as rows, sum(hashtextextended(it::text, 0)) as digest from it`,
      [sourceId],
    )
    leavings[name] = rows[0]!
  }
  return leavings
}

/** The rows themselves of one of those tables, for who wants to know what differs. */
export async function rowsLeft(pool: pg.Pool, sourceId: string, name: string): Promise<string[]> {
  const { rows } = await pool.query<{ it: string }>(
    `with ${runs}, it as (${queries[name as keyof typeof queries]}) select it::text from it order by it::text collate "C"`,
    [sourceId],
  )
  return rows.map(({ it }) => it)
}

/** The tables in which the two differ. */
export const leavingsThatDiffer = (one: Leavings, other: Leavings): string[] =>
  Object.keys(one).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
