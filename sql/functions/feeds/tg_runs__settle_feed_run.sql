-- What the end of a run means for its feed, in the same transaction (S2 §6.4, §9.6, §11.1): success clears its failures; the
-- third counted failure in a row disables it; a request that a person made meanwhile gets its one follow-up.
-- Called by: the trigger _300_settle_feed_run on runs, for runs that hold a feed's lock. Locks: the feed's row, and its requests'.
create or replace function freshet.tg_runs__settle_feed_run() returns trigger
language plpgsql volatile set search_path = ''
as $$
declare
  v_upserted bigint := coalesce((new.counters ->> 'productsUpserted')::bigint, 0);
  v_feed freshet.feeds;
begin
  if not exists (select from freshet.feed_runs where run_id = new.id) then
    return new; -- its lock is no feed's
  end if;
  update freshet.feed_runs
  set is_partial = v_upserted > 0 and (new.error_count > 0 or new.status = 'FAILED'),
    expiry_step_failed = new.status = 'FAILED' and coalesce(new.stage, '') in ('EVALUATE', 'PROMOTE')
  where run_id = new.id;
  update freshet.feeds
  set last_run_at = new.finished_at, consecutive_failures = case
      when new.status = 'SUCCEEDED' then 0
      when new.is_counted then consecutive_failures + 1
      else consecutive_failures
    end
  where id = new.lock_id returning * into strict v_feed;
  if new.status = 'SUCCEEDED' then
    perform freshet.resolve_alert('feed-failed:' || v_feed.id, new.finished_at);
    perform freshet.resolve_alert('feed-disabled:' || v_feed.id, new.finished_at);
  else
    perform freshet.touch_seen_offers(new.id, new.finished_at);
    if new.is_counted then
      perform freshet.tell_feed_failure(v_feed, new);
    end if;
  end if;
  perform freshet.follow_up_feed(v_feed.id);
  return new;
end
$$;
