-- Deletes samples of errors older than p_keep, the oldest first; how many there were of each code stays.
-- Called by: maintenance. Locks: the rows it deletes. Idempotent. At most p_max_rows a call; answers how many.
create or replace function freshet.prune_run_errors(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  delete from freshet.run_errors
  where id in (select id from freshet.run_errors where at <= p_now - p_keep order by at limit p_max_rows);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
