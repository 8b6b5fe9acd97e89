-- Takes a schedule that cannot be enqueued out of the clock, with the reason, and raises an alert that lasts until it is
-- enabled again.
-- Called by: enqueue_due_singly. Locks: the schedule, the open alert. Idempotent.
create or replace function freshet.disable_schedule(p_schedule_id bigint, p_reason text, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_name text;
begin
  update freshet.schedules set is_enabled = false, next_run_at = null, disabled_reason = p_reason
  where id = p_schedule_id
  returning name into v_name;
  perform freshet.raise_alert(
    p_kind => 'SCHEDULE_DISABLED', p_severity => 'P2', p_subject => v_name, p_dedupe_key => 'schedule:' || p_schedule_id,
    p_message => format('The schedule %s was disabled: %s', v_name, p_reason),
    p_details => jsonb_build_object('scheduleId', p_schedule_id::text, 'reason', p_reason), p_now => p_now
  );
end
$$;
