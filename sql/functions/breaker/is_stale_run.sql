-- Whether a later run of the same feed processed a file, so that what this one saw is no longer the news (DESIGN 9.3).
-- Called by: decision_refusal, prune_feed_runs. Locks: none.
create or replace function freshet.is_stale_run(p_run_id bigint) returns boolean
language sql stable set search_path = ''
as $$
  select exists (
    select from freshet.feed_runs f
    join freshet.feed_runs n on n.feed_id = f.feed_id and n.place > f.place and n.skipped_reason is null
    join freshet.runs r on r.id = n.run_id and r.status = 'SUCCEEDED' and r.trigger <> 'ADMIN_TEST'
    where f.run_id = p_run_id
  )
$$;
