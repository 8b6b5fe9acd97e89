-- How many active offers of the run's source it did not see: what its approval lets go, as of p_now.
-- Called by: decision_refusal, approve_activation, src/domain/feeds. Locks: none.
create or replace function freshet.would_expire(p_run_id bigint, p_now timestamptz) returns integer
language sql stable set search_path = ''
as $$
  with run as (
    select id, source_id, freshet.active_since(source_id, p_now) as since from freshet.runs where id = p_run_id
  ), seen as materialized (
    select unnest(c.seen) as offer_id from freshet.feed_run_chunks c where c.run_id = p_run_id
  )
  select count(*)::integer
  from run
  join freshet.current_offers c on c.source_id = run.source_id
  join freshet.offer_presence p on p.offer_id = c.offer_id and p.last_seen_success_at >= run.since
  where not exists (select from seen where seen.offer_id = c.offer_id)
$$;
