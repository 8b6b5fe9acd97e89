-- Notes that a person wants a feed to run now, and enqueues a job for it; whichever run begins next covers every request made
-- before (S2 §6.5, RULINGS 16). With p_is_forced it processes the file although it did not change. Answers the request's number, the
-- job (one that waits already is enough, so that then there is none) and the run at work, after which a follow-up comes.
-- Called by: src/domain/feeds. Locks: the feed's row of requests.
create or replace function freshet.request_feed_run(
  p_feed_id bigint, p_is_forced boolean, p_now timestamptz, out request bigint, out job_id uuid, out active_run_id bigint
)
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.feed_requests
  set requested = requested + 1, requested_at = p_now, manual = requested + 1, manual_at = p_now,
    forced = case when p_is_forced then requested + 1 else forced end
  where feed_id = p_feed_id
  returning requested into strict request;
  job_id := freshet.enqueue(
    'feed-ingest',
    jsonb_build_object('feedId', p_feed_id::text, 'trigger', 'MANUAL', 'request', request),
    p_singleton_key => 'feed:' || p_feed_id
  );
  active_run_id := (
    select id from freshet.runs where lock_class = 4620 and lock_id = p_feed_id and status = 'RUNNING' order by id desc limit 1
  );
end
$$;
