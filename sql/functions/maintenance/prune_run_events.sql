-- Deletes placed events older than p_keep whose run has ended, the oldest first, and notes the highest position that went:
-- who resumes the stream of all runs before it is told that its cursor is too old.
-- Called by: maintenance. Locks: the rows it deletes, the stream's row. Idempotent. At most p_max_rows a call; answers how many.
create or replace function freshet.prune_run_events(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
  v_last bigint;
begin
  with old as (
    select e.run_id, e.number from freshet.run_events e
    where e.at <= p_now - p_keep and e.position is not null
      and not exists (select from freshet.runs r where r.id = e.run_id and r.status = 'RUNNING')
    order by e.at limit p_max_rows
  ), gone as (
    delete from freshet.run_events e using old where (e.run_id, e.number) = (old.run_id, old.number) returning e.position
  )
  select count(*), max(position) into v_count, v_last from gone;
  if v_count > 0 then
    update freshet.event_stream set pruned_position = greatest(pruned_position, v_last);
  end if;
  return v_count;
end
$$;
