-- Deletes what pg_cron noted about its calls of our clock and that is older than p_keep: it never does so itself.
-- It acts with the rights of its owner, who made the job: pg_cron shows each role its own calls only. Where pg_cron is not
-- in this database there is nothing to delete here.
-- Called by: maintenance. Locks: the rows it deletes. Idempotent. At most p_max_rows a call; answers how many.
create or replace function freshet.prune_cron_history(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  v_count integer := 0;
begin
  if to_regclass('cron.job_run_details') is null then
    return 0;
  end if;
  -- As text, because most databases do not have this table.
  execute $sql$
    delete from cron.job_run_details
    where runid in (
      select runid from cron.job_run_details
      where command = 'select freshet.tick()' and database = current_database() and coalesce(end_time, start_time) <= $1
      order by runid limit $2
    )
  $sql$ using p_now - p_keep, p_max_rows;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
