-- Ends the run of a job that an operator cancelled, and the connection of the attempt that works on it, so that it writes
-- nothing more. Not counted: it says nothing about the source. Answers the run's id if there was one to end.
-- Called by: src/domain/runs/fail-run.ts. Locks: the run's row. Idempotent.
create or replace function freshet.cancel_run_of_job(p_job_id uuid, p_now timestamptz) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
begin
  select * into v_run from freshet.runs where job_id = p_job_id and status = 'RUNNING';
  if not found then
    return null;
  end if;
  perform freshet.end_run_holder(v_run.lock_class, v_run.lock_id, p_job_id, 5000);
  return case when freshet.fail_run(
    p_run_id => v_run.id, p_attempt => null, p_code => 'CANCELLED_BY_OPERATOR', p_message => 'An operator cancelled the run.',
    p_hint => 'Start it again when it is wanted.', p_now => p_now, p_is_counted => false
  ) then v_run.id end;
end
$$;
