-- The run of a feed that waits for an operator's decision: the last that processed a file, if it is blocked and nobody decided.
-- Called by: accept_price. Locks: none.
create or replace function freshet.waiting_run(p_feed_id bigint) returns bigint
language sql stable set search_path = ''
as $$
  select w.run_id
  from (
    select f.* from freshet.feed_runs f
    join freshet.runs r on r.id = f.run_id and r.status = 'SUCCEEDED' and r.trigger <> 'ADMIN_TEST'
    where f.feed_id = p_feed_id and f.skipped_reason is null order by f.place desc limit 1
  ) w
  where w.is_blocked and num_nonnulls(w.approved_at, w.rejected_at) = 0
$$;
