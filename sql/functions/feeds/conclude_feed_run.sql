-- Judges a run that took its file in, and in the same transaction shows what it saw or blocks it, keeps what the file looked like,
-- and ends the run (S2 §8.2). p_reading is the feed's reading as the run found it: where somebody changed that meanwhile, what the
-- file looked like is not kept, so that the next run reads it anew; null asks for no comparison. Under HOLD_REMOVALS a mass
-- disappearance alone blocks only the removals (RULINGS 14).
-- Called by: src/domain/feeds/conclude-feed-run.ts, under the feed's lock. Locks: the run's row, the offers, the feed's row.
-- Raises FR021 if another attempt owns the run. Answers what was decided.
create or replace function freshet.conclude_feed_run(
  p_run_id bigint, p_attempt integer, p_t0 timestamptz, p_reading jsonb default null
) returns freshet.feed_runs
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs := freshet.own_run(p_run_id, p_attempt);
  v_row freshet.feed_runs := freshet.evaluate_feed_run(p_run_id, p_t0);
  v_feed freshet.feeds;
  v_warnings jsonb := '[]';
begin
  select * into strict v_feed from freshet.feeds where id = v_row.feed_id;
  if v_row.is_blocked then
    perform freshet.begin_hold(v_feed, p_run_id, p_t0);
    perform freshet.tell_block(v_feed, v_row);
  end if;
  if not v_row.is_blocked
    or v_feed.block_policy = 'HOLD_REMOVALS' and v_row.block_reasons = '{SPIKE_THRESHOLD_EXCEEDED}' then
    perform freshet.set_run_stage(p_run_id, p_attempt, 'PROMOTE', p_t0);
    perform freshet.promote_run(
      p_run_id => p_run_id, p_set_run_id => p_run_id, p_kind => 'PROMOTED', p_at => p_t0, p_seen_at => p_t0,
      p_ends_hold => not v_row.is_blocked
    );
    v_warnings := freshet.invisible_source_warnings(v_feed.source_id);
  else
    perform freshet.touch_seen_offers(p_run_id, p_t0);
  end if;
  update freshet.feed_runs
  set warnings = warnings || v_warnings, products_expired = case when not is_blocked then would_expire_count end
  where run_id = p_run_id returning * into v_row;
  if not v_row.is_blocked then
    perform freshet.resolve_alert('feed-blocked:' || v_feed.id, p_t0);
  end if;
  update freshet.feeds
  set last_remote_mtime = v_row.remote_mtime, last_remote_size = v_row.remote_size, last_content_hash = v_row.content_hash
  where id = v_feed.id and freshet.feed_reading(feeds) is not distinct from coalesce(p_reading, freshet.feed_reading(feeds));
  perform freshet.finish_run(p_run_id, p_attempt, p_t0);
  return v_row;
end
$$;
