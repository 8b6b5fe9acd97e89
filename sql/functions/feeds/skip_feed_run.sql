-- Ends a run whose file did not change (S2 §9.6). Nothing was observed, so nothing is promoted, but for a feed with
-- unchangedPolicy REFRESH whose file was downloaded and is the very one that is shown now: its set is shown once more (DESIGN 9.8,
-- RULINGS 15). Answers whether it was.
-- Called by: src/domain/feeds/ingest-feed.ts, under the feed's lock. Locks: the run's row, the offers, the feed's row.
create or replace function freshet.skip_feed_run(
  p_run_id bigint, p_attempt integer, p_reason freshet.skip_reason, p_now timestamptz
) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs := freshet.own_run(p_run_id, p_attempt);
  v_row freshet.feed_runs;
  v_set_run_id bigint;
begin
  update freshet.feed_runs set skipped_reason = p_reason where run_id = p_run_id returning * into strict v_row;
  select s.run_id into v_set_run_id
  from freshet.feeds f join freshet.feed_runs s on s.run_id = freshet.promoted_run(f.source_id)
  where f.id = v_row.feed_id and f.unchanged_policy = 'REFRESH' and p_reason = 'UNCHANGED_HASH'
    and s.content_hash = v_row.content_hash;
  if v_set_run_id is not null then
    perform freshet.promote_run(
      p_run_id => p_run_id, p_set_run_id => v_set_run_id, p_kind => 'REFRESHED', p_at => p_now, p_seen_at => p_now,
      p_ends_hold => false
    );
  end if;
  perform freshet.finish_run(p_run_id, p_attempt, p_now);
  return v_set_run_id is not null;
end
$$;
