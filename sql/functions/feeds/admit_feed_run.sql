-- Says under the feed's lock whether a job is to run: RUN; COVERED, if a run that began later than its request covered that
-- already, and every later one that found this job waiting and made none; NOT_ENABLED, if somebody paused the feed or failures disabled it meanwhile. A job whose run has begun goes on, unless the
-- feed is not enabled any more.
-- Called by: src/domain/feeds/admit-feed-run.ts. Locks: none.
create or replace function freshet.admit_feed_run(
  p_feed_id bigint, p_job_id uuid, p_request bigint, out verdict text, out source_id bigint, out status freshet.feed_status, out has_run boolean, out host text
)
language plpgsql stable set search_path = ''
as $$
declare
  v_feed freshet.feeds;
  v_requests freshet.feed_requests;
begin
  select * into v_feed from freshet.feeds where id = p_feed_id;
  select * into v_requests from freshet.feed_requests where feed_id = p_feed_id;
  source_id := v_feed.source_id;
  host := v_feed.host;
  status := v_feed.status;
  has_run := exists (select from freshet.runs where job_id = p_job_id);
  verdict := case
    when v_feed.status is distinct from 'ENABLED' then 'NOT_ENABLED'
    when not has_run and greatest(p_request, v_requests.requested) <= v_requests.covered then 'COVERED'
    else 'RUN'
  end;
end
$$;
