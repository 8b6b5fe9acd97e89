-- Plans anew what a clock that ran ahead left in a far future: every enabled schedule whose next time lies behind the one that
-- its rule gives from now. Without this it would stand still until the time that the wrong clock showed comes round. What
-- happened while the clock was ahead may happen once more; hence tick asks for it only after more than an hour, so that
-- smaller steps double nothing and cost at most that hour. A later time that somebody chose by hand is lost.
-- Called by: tick. Locks: the schedules that it moves; those that others hold are left. Idempotent.
-- Answers how many it moved. One that cannot be planned is passed over: enqueue_due_singly sees to it when it is due.
create or replace function freshet.replan_schedules(p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_schedule freshet.schedules;
  v_next timestamptz;
  v_count integer := 0;
begin
  for v_schedule in
    select * from freshet.schedules where is_enabled and next_run_at > p_now order by id for no key update skip locked
  loop
    begin
      v_next := freshet.next_run_at(v_schedule.cron, v_schedule.time_zone, v_schedule.period_seconds, null, p_now);
      if v_next < v_schedule.next_run_at then
        update freshet.schedules set next_run_at = v_next where id = v_schedule.id;
        v_count := v_count + 1;
      end if;
    exception when others then
      raise warning 'The schedule % could not be planned anew: %', v_schedule.name, sqlerrm;
    end;
  end loop;
  return v_count;
end
$$;
