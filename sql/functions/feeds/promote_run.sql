-- Makes what a run saw visible as of p_at: points each offer at the run's version and price where it wrote one, notes that it was
-- seen with success, and brings current_offers up to date. Chunk by chunk by arrays of ids, so that it costs what the run saw,
-- whatever else there is. Ends a pending hold: the time that it held counts after all (RULINGS 13).
-- Called by: conclude_feed_run, show_blocked_run, skip_feed_run; in the transaction that ends or decides the run, under the
-- feed's lock. Locks: the offers. p_set_run_id is the run whose set is shown, p_seen_at when it was observed, if just now.
create or replace function freshet.promote_run(
  p_run_id bigint,
  p_set_run_id bigint,
  p_kind freshet.promotion_kind,
  p_at timestamptz,
  p_seen_at timestamptz,
  p_ends_hold boolean
) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_source_id bigint := (select source_id from freshet.runs where id = p_run_id);
  v_since timestamptz := freshet.active_since(v_source_id, p_at);
  v_chunk freshet.feed_run_chunks;
  v_returning bigint[];
  v_count integer := 0;
begin
  insert into freshet.promotions (source_id, run_id, set_run_id, at, kind)
  values (v_source_id, p_run_id, p_set_run_id, p_at, p_kind);
  if p_ends_hold then
    perform freshet.end_hold(v_source_id, p_at, true);
  end if;
  for v_chunk in select * from freshet.feed_run_chunks where run_id = p_set_run_id order by number loop
    if p_kind <> 'REFRESHED' then
      perform freshet.point_offers(p_run_id, v_chunk.written || v_chunk.heartbeats);
    end if;
    -- What is not active may have left current_offers, or was never there.
    v_returning := array(
      select offer_id from freshet.offer_presence
      where offer_id = any (v_chunk.seen) and (last_seen_success_at is null or last_seen_success_at < v_since)
    );
    update freshet.offer_presence
    set last_seen_success_at = p_at, last_seen_at = greatest(last_seen_at, p_seen_at) where offer_id = any (v_chunk.seen);
    perform freshet.refresh_current_offers(case when p_kind <> 'REFRESHED' then v_chunk.written end || v_returning);
    v_count := v_count + cardinality(v_chunk.seen);
  end loop;
  -- While a block still holds the clock, what the hold keeps is what that alert is about.
  if p_ends_hold or not exists (select from freshet.source_holds where source_id = v_source_id and ended_at is null) then
    perform freshet.resolve_alert('offers-expiring:' || v_source_id, p_at);
  end if;
  return v_count;
end
$$;
