-- Deletes the history of schedules older than p_keep, the oldest first. The last run of each stays: it is its last outcome.
-- Called by: maintenance. Locks: the rows it deletes. Idempotent. At most p_max_rows a call; answers how many.
create or replace function freshet.prune_schedule_runs(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  delete from freshet.schedule_runs
  where id in (
    select r.id from freshet.schedule_runs r
    where r.started_at <= p_now - p_keep
      and exists (select from freshet.schedule_runs later where later.schedule_id = r.schedule_id and later.id > r.id)
    order by r.started_at limit p_max_rows
  );
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
