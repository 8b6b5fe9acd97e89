-- Looks up what is promoted of each key of the chunk, once, and settles what is to be written for it: a new offer, a version
-- where the row says something else, a price where none is promoted, it changed, or its last row is older than the heartbeat
-- (S2 §4.2, RULINGS 12).
-- Called by: probe_feed_chunk, ingest_feed_chunk. Locks: none.
create or replace function freshet.know_feed_chunk(p_run_id bigint, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_source_id bigint;
  v_heartbeat interval;
begin
  select f.source_id, make_interval(hours => f.price_heartbeat_hours) into strict v_source_id, v_heartbeat
  from freshet.feed_runs r join freshet.feeds f on f.id = r.feed_id where r.run_id = p_run_id;
  insert into pg_temp.feed_known (n, offer_id, is_new, is_changed, price_reason, price, currency)
  select k.n, coalesce(o.id, nextval('freshet.offers_id_seq')), o.id is null, o.version_hash is distinct from k.version_hash,
    case
      when o.price_signature is null then 'NEW'
      when o.price_signature <> k.signature then 'CHANGED'
      when o.priced_at <= p_now - v_heartbeat then 'HEARTBEAT'
    end::freshet.price_reason, o.price, o.currency
  from pg_temp.feed_keys k
  -- Lateral, and one at most: whatever the planner thinks of a table without statistics, it looks up by the index.
  left join lateral (
    select * from freshet.offers o
    where o.source_id = v_source_id and o.identity_type = k.identity_type and o.identity_value = k.identity_value limit 1
  ) o on true;
end
$$;
