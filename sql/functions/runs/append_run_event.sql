-- Adds one event to the story of a run, with the run's attempt, stage and counters as they are now, and announces the run.
-- Events of a run are numbered under its row lock, hence without a gap and in commit order. Answers the event's number.
-- Called by: the other functions of runs, while the run is RUNNING. Locks: the run's row. Not idempotent.
create or replace function freshet.append_run_event(
  p_run_id bigint,
  p_kind freshet.run_event_kind,
  p_now timestamptz,
  p_code text default null,
  p_message text default null
) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_number integer;
begin
  with counted as (
    update freshet.runs set event_count = event_count + 1, updated_at = p_now where id = p_run_id
    returning id, event_count, attempt, stage, counters
  )
  insert into freshet.run_events (run_id, number, at, attempt, kind, stage, code, message, counters)
  select id, event_count, p_now, attempt, p_kind, stage, p_code, p_message, counters from counted
  returning number into strict v_number;
  perform pg_notify('freshet_run_events', p_run_id::text);
  return v_number;
end
$$;
