-- What the job of a schedule carries: the schedule's own payload, its id as text, the time it was due, and whether the clock or a
-- person asked for it.
-- Called by: enqueue_due, run_schedule. Locks: none. Inlined (sql/README.md).
create or replace function freshet.schedule_payload(
  p_payload jsonb,
  p_schedule_id bigint,
  p_due_at timestamptz,
  p_trigger freshet.run_trigger
) returns jsonb
language sql stable
as $$
  select p_payload || pg_catalog.jsonb_build_object(
    'scheduleId', p_schedule_id::pg_catalog.text,
    'trigger', p_trigger::pg_catalog.text,
    'dueAt', pg_catalog.to_char(p_due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  )
$$;
