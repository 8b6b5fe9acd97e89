-- Enqueues one follow-up where a person asked for a run after the last one began, if the feed is still ENABLED (RULINGS 16).
-- Called by: tg_runs__settle_feed_run. Locks: the feed's row of requests, so that a click comes before or after, never between.
create or replace function freshet.follow_up_feed(p_feed_id bigint) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_requests freshet.feed_requests;
begin
  select * into strict v_requests from freshet.feed_requests where feed_id = p_feed_id for no key update;
  if v_requests.manual <= v_requests.covered
    or not exists (select from freshet.feeds where id = p_feed_id and status = 'ENABLED') then
    return null;
  end if;
  return freshet.enqueue(
    'feed-ingest',
    jsonb_build_object('feedId', p_feed_id::text, 'trigger', 'MANUAL_PENDING', 'request', v_requests.manual),
    p_singleton_key => 'feed:' || p_feed_id
  );
end
$$;
