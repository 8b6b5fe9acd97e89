-- Ends a run badly, for good, with a code, what happened and what to do about it: with finish_run the only writer of an end.
-- p_attempt null stands for whichever attempt is there: for those who speak for the run from outside and hold its lock.
-- An end that is not counted (an operator's cancellation) says nothing about the health of what the run was for.
-- Called by: src/domain/runs/fail-run.ts, cancel_run_of_job, reap_runs. Locks: the run's row.
-- On a run that has ended, or that there is not, it changes nothing and answers false; FR021 if another attempt owns the run.
create or replace function freshet.fail_run(
  p_run_id bigint,
  p_attempt integer,
  p_code text,
  p_message text,
  p_hint text,
  p_now timestamptz,
  p_is_counted boolean default true
) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
begin
  select * into v_run from freshet.runs where id = p_run_id for no key update;
  if v_run.status is distinct from 'RUNNING' then
    return false;
  end if;
  perform freshet.own_run(p_run_id, coalesce(p_attempt, v_run.attempt));
  perform freshet.append_run_event(p_run_id, 'FAILED', p_now, p_code, p_message);
  update freshet.runs
  set status = 'FAILED', finished_at = p_now, error_code = p_code, error_message = p_message, error_hint = p_hint,
    is_counted = is_counted and p_is_counted
  where id = p_run_id;
  return true;
end
$$;
