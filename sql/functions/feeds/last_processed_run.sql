-- The run of the same feed that processed a file last before this one took its place: skipped, failed and test runs did not.
-- Called by: write_feed_prices, note_identities. Locks: none.
create or replace function freshet.last_processed_run(p_run_id bigint) returns bigint
language sql stable set search_path = ''
as $$
  select o.run_id
  from freshet.feed_runs f
  join freshet.feed_runs o on o.feed_id = f.feed_id and o.place < f.place and o.skipped_reason is null
  join freshet.runs r on r.id = o.run_id and r.status = 'SUCCEEDED' and r.trigger <> 'ADMIN_TEST'
  where f.run_id = p_run_id
  order by o.place desc limit 1
$$;
