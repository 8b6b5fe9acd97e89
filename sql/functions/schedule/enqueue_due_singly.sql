-- What enqueue_due does, one schedule at a time: a schedule that cannot be enqueued is disabled with the reason and told as
-- an alert, so that it never stops the others. Only what a row itself can cause counts against it (its queue, expression,
-- time zone, payload); any other error is raised, or a full disk would disable every schedule there is.
-- Called by: tick, when enqueue_due failed. Locks: as enqueue_due. Idempotent. Answers how many were enqueued.
create or replace function freshet.enqueue_due_singly(p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_schedule record;
  v_count integer := 0;
begin
  for v_schedule in
    select id, name from freshet.schedules
    where is_enabled and (next_run_at is null or next_run_at <= p_now)
    order by id
    for no key update skip locked
  loop
    begin
      v_count := v_count + freshet.enqueue_due(p_now, v_schedule.id);
    exception when others then
      if left(sqlstate, 2) not in ('FR', '22', '23', 'P0') then
        raise;
      end if;
      perform freshet.disable_schedule(v_schedule.id, sqlerrm, p_now);
    end;
  end loop;
  return v_count;
end
$$;
