-- Leaves out of a run the products that other rows of its file name as their parent (RULINGS 25): they stand for their variants and
-- are not for sale. Done once, behind the last chunk, since a parent may stand before its variants or far behind them. What the run
-- wrote of them is taken back, and they count as skipped; one that was shown before expires as if its row were gone.
-- Called by: src/domain/feeds/ingest/ingest-file.ts, under the run's lock. Locks: the run's row, what it deletes. Idempotent. Raises
-- FR021 if another attempt owns the run. Answers how many there were.
create or replace function freshet.skip_parent_offers(p_run_id bigint, p_attempt integer, p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs := freshet.own_run(p_run_id, p_attempt);
  v_offers bigint[];
  v_notes jsonb;
  v_prices integer;
  v_count integer;
begin
  if not exists (select from pg_temp.feed_parents) then
    return 0;
  end if;
  -- What the row said stands in the run's own version, or in the promoted one where it said nothing else. A row without anything
  -- new has no line here: it was not sent.
  with parents as (
    select distinct on (v.offer_id) v.offer_id, case when v.run_id = p_run_id then v.line end as line, v.sku
    from pg_temp.feed_parents p
    -- A fence: whatever the planner thinks of a table without statistics, it looks up by the index.
    cross join lateral (select * from freshet.offer_versions where sku = p.sku offset 0) v
    join pg_temp.feed_seen s using (offer_id)
    join freshet.offers o on o.id = v.offer_id
    where v.run_id = p_run_id or v.run_id = o.version_run_id
      and not exists (select from freshet.offer_versions n where n.offer_id = o.id and n.run_id = p_run_id)
    order by v.offer_id, v.run_id = p_run_id desc
  )
  select array_agg(offer_id), (
    select jsonb_agg(jsonb_build_object(
      'code', 'PARENT_ROW_SKIPPED', 'line', line, 'item', sku, 'message', 'Other rows name this one as their parent: it stands for them.'
    ) order by line)
    from (select * from parents order by line limit 100) first
  ) into v_offers, v_notes from parents;
  v_count := coalesce(cardinality(v_offers), 0);
  if v_count = 0 then
    return 0;
  end if;
  v_prices := freshet.unwrite_offers(p_run_id, v_offers);
  update freshet.feed_run_chunks
  set seen = array(select unnest(seen) except select unnest(v_offers) order by 1),
    written = array(select unnest(written) except select unnest(v_offers) order by 1),
    created = array(select unnest(created) except select unnest(v_offers) order by 1),
    heartbeats = array(select unnest(heartbeats) except select unnest(v_offers) order by 1)
  where run_id = p_run_id;
  delete from freshet.offers o
  where o.id = any (v_offers) and o.created_by_run_id = p_run_id
    and not exists (select from freshet.offer_versions v where v.offer_id = o.id);
  delete from pg_temp.feed_seen where offer_id = any (v_offers);
  perform freshet.sample_run_errors(
    p_run_id => p_run_id, p_attempt => p_attempt, p_samples => v_notes,
    p_totals => jsonb_build_object('PARENT_ROW_SKIPPED', v_count), p_error_count => 0, p_now => p_now
  );
  perform freshet.add_run_progress(p_run_id, p_attempt, jsonb_build_object(
    'rowsParsed', -v_count, 'parentRowsSkipped', v_count, 'productsUpserted', -v_count, 'pricesWritten', -v_prices
  ), p_now);
  return v_count;
end
$$;
