-- Raises the alert of a blocked run: why, what would vanish, and by when somebody should decide.
-- Called by: conclude_feed_run. Locks: the open alert of the feed's block.
create or replace function freshet.tell_block(p_feed freshet.feeds, p_run freshet.feed_runs) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_name text := (select name from freshet.sources where id = p_feed.source_id);
  v_until timestamptz := (select until from freshet.source_holds where source_id = p_feed.source_id and ended_at is null);
begin
  perform freshet.raise_alert(
    p_kind => 'FEED_RUN_BLOCKED', p_severity => 'P1', p_subject => v_name, p_dedupe_key => 'feed-blocked:' || p_feed.id,
    p_message => format(
      'Run %s of %s was blocked (%s): %s of %s active offers would expire, %s of %s prices moved%s. Held until %s.',
      p_run.run_id, v_name, array_to_string(p_run.block_reasons, ', '), p_run.would_expire_count, p_run.active_count_before,
      p_run.prices_moved, p_run.prices_compared, freshet.factor_words(p_run.price_factor), to_char(v_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    ),
    p_details => jsonb_build_object(
      'feedId', p_feed.id::text, 'runId', p_run.run_id::text, 'reasons', to_jsonb(p_run.block_reasons),
      'activeCountBefore', p_run.active_count_before, 'wouldExpireCount', p_run.would_expire_count, 'holdUntil', v_until,
      'pricesMoved', p_run.prices_moved, 'pricesCompared', p_run.prices_compared, 'priceFactor', p_run.price_factor
    ),
    p_now => p_run.evaluated_at, p_source_id => p_feed.source_id, p_run_id => p_run.run_id
  );
end
$$;
