-- Makes the row of a test run; it holds no feed's lock, so nothing else begins with it (RULINGS 24). p_feed_id is null for an input
-- that nobody stored.
-- Called by: src/domain/feeds/test-feed.ts. Locks: none. Idempotent.
create or replace function freshet.begin_feed_test(p_run_id bigint, p_feed_id bigint) returns void
language sql volatile set search_path = ''
as $$
  insert into freshet.feed_runs (run_id, feed_id, place) values (p_run_id, p_feed_id, nextval('freshet.feed_run_places'))
  on conflict (run_id) do nothing
$$;
