-- Locks a run's row for the attempt that owns it, and answers the row. Raises FR021 if the run has ended or a later attempt
-- has taken it over: whoever is behind writes nothing more.
-- Called by: every function that writes to a run for one attempt. Locks: the run's row, until the transaction ends.
-- Idempotent.
create or replace function freshet.own_run(p_run_id bigint, p_attempt integer) returns freshet.runs
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
begin
  select * into v_run from freshet.runs where id = p_run_id for no key update;
  if v_run.status is distinct from 'RUNNING' or v_run.attempt is distinct from p_attempt then
    raise exception 'This attempt no longer owns the run.' using errcode = 'FR021',
      detail = format('Attempt %s of run %s; the run is %s at attempt %s.', p_attempt, p_run_id,
        coalesce(v_run.status::text, 'unknown'), coalesce(v_run.attempt::text, '-')),
      hint = 'Stop: another attempt has taken the run over, or it has ended.';
  end if;
  return v_run;
end
$$;
