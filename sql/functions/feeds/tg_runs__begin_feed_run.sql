-- Each attempt at a feed's run takes a place in the order of runs, covers the requests made so far, and takes back what earlier
-- attempts of this run wrote: a retry starts from scratch.
-- Called by: the trigger _200_begin_feed_run on runs, for runs that hold a feed's lock. Locks: the feed's row of requests.
create or replace function freshet.tg_runs__begin_feed_run() returns trigger
language plpgsql volatile set search_path = ''
as $$
declare
  v_requests freshet.feed_requests;
begin
  -- Before the requests are locked: the clock and clicks are not to wait while a long attempt is taken back.
  if new.attempt > 1 then
    perform freshet.restart_feed_run(new.id);
  end if;
  select * into v_requests from freshet.feed_requests where feed_id = new.lock_id for no key update;
  if not found then
    return new; -- its lock is no feed's
  end if;
  update freshet.feed_requests set covered = requested where feed_id = new.lock_id;
  insert into freshet.feed_runs as r (run_id, feed_id, place, request, is_forced)
  values (
    new.id, new.lock_id, nextval('freshet.feed_run_places'), v_requests.requested, v_requests.forced > v_requests.covered
  )
  on conflict (run_id) do update
  set place = excluded.place, request = excluded.request, is_forced = r.is_forced or excluded.is_forced;
  return new;
end
$$;
