-- Judges a run that took its file in, before anything of it becomes visible, as of p_t0 (S2 §8.2, §3.3.2): counts what is active,
-- what of it was seen and what would expire, and writes down every reason to block, in the order of RULINGS 14.
-- Called by: conclude_feed_run. Locks: the run's row in feed_runs. Answers the row. Idempotent.
create or replace function freshet.evaluate_feed_run(p_run_id bigint, p_t0 timestamptz) returns freshet.feed_runs
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
  v_row freshet.feed_runs;
  v_feed freshet.feeds;
  v_since timestamptz;
  v_active integer;
  v_seen integer := 0;
  v_prices record;
  v_rows bigint;
  v_rejected bigint;
  v_products bigint;
  v_fallbacks bigint;
  v_chunk bigint[];
  v_warnings jsonb := '[]';
  v_reasons freshet.block_reason[];
begin
  select * into strict v_run from freshet.runs where id = p_run_id;
  select * into strict v_row from freshet.feed_runs where run_id = p_run_id;
  select * into strict v_feed from freshet.feeds where id = v_row.feed_id;
  v_since := freshet.active_since(v_feed.source_id, p_t0);

  select count(*) into v_active
  from freshet.current_offers c join freshet.offer_presence p using (offer_id)
  where c.source_id = v_feed.source_id and p.last_seen_success_at >= v_since;
  for v_chunk in select seen from freshet.feed_run_chunks where run_id = p_run_id loop
    v_seen := v_seen + (
      select count(*) from freshet.offer_presence where offer_id = any (v_chunk) and last_seen_success_at >= v_since
    );
  end loop;
  if v_seen > v_active then
    v_warnings := jsonb_build_array(jsonb_build_object(
      'code', 'CIRCUIT_BREAKER_NEGATIVE_EXPIRE_COUNT',
      'message', format('%s active offers were seen, but only %s were active: report this as a fault.', v_seen, v_active)
    ));
  end if;

  select * into v_prices from freshet.price_moves(p_run_id, v_since);
  select coalesce((c ->> 'rowsRead')::bigint, 0), coalesce((c ->> 'productsRejected')::bigint, 0),
    coalesce((c ->> 'productsUpserted')::bigint, 0), coalesce((c ->> 'urlHashFallbackCount')::bigint, 0)
  into v_rows, v_rejected, v_products, v_fallbacks
  from (select v_run.counters as c) counters;

  select coalesce(array_agg(reason::freshet.block_reason order by reason::freshet.block_reason), '{}') into v_reasons
  from (values
    ('DATA_QUALITY_NO_USABLE_ROWS', v_products = 0 and v_active > 0),
    ('DATA_QUALITY_REJECTED_ROWS', v_rows >= 20 and v_rejected * 100 > v_rows * v_feed.rejected_percent),
    ('DATA_QUALITY_URL_HASH_SPIKE',
      v_fallbacks * 100 > v_products * v_feed.url_hash_percent or v_fallbacks > v_feed.url_hash_max_count),
    ('PRICE_SPIKE_THRESHOLD_EXCEEDED',
      v_prices.compared >= 20 and v_prices.moved * 100 > v_prices.compared * v_feed.price_move_percent),
    ('SPIKE_THRESHOLD_EXCEEDED', freshet.is_spike(
      v_active, greatest(0, v_active - v_seen), v_feed.expire_percent, v_feed.expire_min_count, v_feed.expire_max_count
    ))
  ) as judged(reason, holds)
  where holds;

  update freshet.feed_runs
  set evaluated_at = p_t0, active_count_before = v_active, seen_success_count = v_seen,
    would_expire_count = greatest(0, v_active - v_seen), prices_compared = v_prices.compared, prices_moved = v_prices.moved,
    price_factor = v_prices.factor, is_blocked = v_reasons <> '{}', block_reasons = v_reasons, warnings = warnings || v_warnings
  where run_id = p_run_id
  returning * into v_row;
  return v_row;
end
$$;
