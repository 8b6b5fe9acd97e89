-- The run whose seen set a source shows now.
-- Called by: skip_feed_run, prune_feed_runs. Locks: none.
create or replace function freshet.promoted_run(p_source_id bigint) returns bigint
language sql stable set search_path = ''
as $$
  select set_run_id from freshet.promotions where source_id = p_source_id order by id desc limit 1
$$;
