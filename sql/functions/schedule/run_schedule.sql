-- Enqueues the job of a schedule now, beside its times: when it is due next stays as it is. A disabled one runs too.
-- Answers the job's id; null if its queue takes one job a schedule and has it already.
-- Called by: runSchedule. Locks: the schedule. Raises FR010 where its queue does not exist.
create or replace function freshet.run_schedule(p_schedule_id bigint, p_now timestamptz) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_schedule freshet.schedules;
begin
  update freshet.schedules set last_run_at = p_now where id = p_schedule_id returning * into strict v_schedule;
  return freshet.enqueue(v_schedule.queue, freshet.schedule_payload(v_schedule.payload, p_schedule_id, p_now),
    p_singleton_key => 'schedule:' || p_schedule_id);
end
$$;
