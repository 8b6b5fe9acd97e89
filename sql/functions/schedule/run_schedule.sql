-- Enqueues the job of a schedule now, beside its times: when it is due next stays as it is. A disabled one runs too.
-- Answers the job's id; where its queue takes one job a schedule and has it already, that one's.
-- Called by: runSchedule. Locks: the schedule. Raises FR010 where its queue does not exist.
create or replace function freshet.run_schedule(p_schedule_id bigint, p_now timestamptz) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_schedule freshet.schedules;
  v_key text := 'schedule:' || p_schedule_id;
  v_job_id uuid;
begin
  update freshet.schedules set last_run_at = p_now where id = p_schedule_id returning * into strict v_schedule;
  loop
    v_job_id := freshet.enqueue(v_schedule.queue, freshet.schedule_payload(v_schedule.payload, p_schedule_id, p_now, 'MANUAL'),
      p_singleton_key => v_key);
    if v_job_id is null then
      select id into v_job_id from pgboss.job
      where name = v_schedule.queue and singleton_key = v_key and state in ('created', 'retry', 'active')
      limit 1;
    end if;
    exit when v_job_id is not null; -- else the one in the way ended just now
  end loop;
  return v_job_id;
end
$$;
