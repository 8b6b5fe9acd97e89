-- Raises the alert of a failed run; the third in a row disables the feed as well (S2 §11.1).
-- Called by: tg_runs__settle_feed_run. Locks: the feed's row, its schedule.
create or replace function freshet.tell_feed_failure(p_feed freshet.feeds, p_run freshet.runs) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_details jsonb := jsonb_build_object(
    'feedId', p_feed.id::text, 'runId', p_run.id::text, 'code', p_run.error_code, 'hint', p_run.error_hint,
    'consecutiveFailures', p_feed.consecutive_failures
  );
  v_name text := (select name from freshet.sources where id = p_feed.source_id);
begin
  perform freshet.raise_alert(
    p_kind => 'FEED_RUN_FAILED', p_severity => 'P2', p_subject => v_name, p_dedupe_key => 'feed-failed:' || p_feed.id,
    p_message => left(format('The feed of %s failed: %s', v_name, p_run.error_message), 2000), p_details => v_details,
    p_now => p_run.finished_at, p_source_id => p_feed.source_id, p_run_id => p_run.id
  );
  if p_feed.consecutive_failures >= 3 and p_feed.status = 'ENABLED' then
    perform freshet.set_feed_status(
      p_feed.id, 'DISABLED',
      left(format('Disabled due to repeated failures: %s in a row, the last one %s.', p_feed.consecutive_failures, p_run.error_code), 2000)
    );
    perform freshet.raise_alert(
      p_kind => 'FEED_AUTO_DISABLED', p_severity => 'P1', p_subject => v_name, p_dedupe_key => 'feed-disabled:' || p_feed.id,
      p_message => left(format('The feed of %s was disabled after %s failures in a row: %s', v_name, p_feed.consecutive_failures,
        p_run.error_message), 2000),
      p_details => v_details, p_now => p_run.finished_at, p_source_id => p_feed.source_id, p_run_id => p_run.id
    );
  end if;
end
$$;
