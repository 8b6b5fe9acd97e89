-- Stops the expiry clock of a source at a block, for at most the feed's hold hours. The hold of an earlier block in the same
-- unbroken row goes on: it is not renewed (RULINGS 13).
-- Called by: conclude_feed_run. Locks: the pending hold. Idempotent.
create or replace function freshet.begin_hold(p_feed freshet.feeds, p_run_id bigint, p_at timestamptz) returns void
language sql volatile set search_path = ''
as $$
  insert into freshet.source_holds (source_id, run_id, started_at, until)
  values (p_feed.source_id, p_run_id, p_at, p_at + make_interval(hours => p_feed.hold_hours))
  on conflict (source_id) where ended_at is null do nothing
$$;
