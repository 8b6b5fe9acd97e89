-- Changes the status of a feed, and with it whether the clock runs it: only an ENABLED feed has a next time (S2 §5.1, §5.3).
-- Called by: tell_feed_failure, src/domain/feeds. Locks: the feed's row, then its schedule. Idempotent.
create or replace function freshet.set_feed_status(p_feed_id bigint, p_status freshet.feed_status, p_reason text) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.feeds set status = p_status, status_reason = p_reason where id = p_feed_id;
  update freshet.schedules set is_enabled = (p_status = 'ENABLED')
  where kind = 'feed' and subject_id = p_feed_id and is_enabled <> (p_status = 'ENABLED');
end
$$;
