-- Starts the run of a job, or finds it: one job has one run, whatever happens to the workers. A new run begins at attempt 1;
-- one that is RUNNING goes on with the next attempt, from scratch (restart_run), under the trigger that it began with; one
-- that has ended is left as it is, and its status says so to the caller, who then has nothing to do.
-- Whose job is no longer at work has lost it, to an operator or to a later attempt, and starts nothing: FR023. The job's row is
-- held meanwhile, so that whoever stops or deletes the job waits and then finds the run. A run without a job (p_job_id null) is
-- nobody's to take away.
-- Called by: src/domain/runs/execute-run.ts under the run's lock. Locks: the job's row (shared), then the run's.
-- Not idempotent: each call is an attempt.
create or replace function freshet.start_run(
  p_job_id uuid,
  p_kind freshet.run_kind,
  p_trigger freshet.run_trigger,
  p_source_id bigint,
  p_lock_class integer,
  p_lock_id integer,
  p_now timestamptz
) returns table (run_id bigint, status freshet.run_status, attempt integer)
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
  v_state pgboss.job_state;
begin
  -- Queue by queue: there is an index by name and id, none by id alone.
  select j.state into v_state from pgboss.queue q join pgboss.job j on j.name = q.name and j.id = p_job_id for share of j;
  if p_job_id is not null and v_state is distinct from 'active' then
    raise exception 'The job of this attempt was taken away.' using errcode = 'FR023',
      detail = format('Job %s is %s.', p_job_id, coalesce(v_state::text, 'gone')), hint = 'Stop: there is nothing left for this attempt to do.';
  end if;
  insert into freshet.runs as r (job_id, kind, trigger, source_id, lock_class, lock_id, started_at, updated_at, is_counted)
  values (p_job_id, p_kind, p_trigger, p_source_id, p_lock_class, p_lock_id, p_now, p_now, p_trigger <> 'ADMIN_TEST')
  on conflict (job_id) do update set attempt = r.attempt + 1 where r.status = 'RUNNING'
  returning * into v_run;
  if not found then
    select * into strict v_run from freshet.runs r where r.job_id = p_job_id;
  elsif v_run.attempt = 1 then
    perform freshet.append_run_event(v_run.id, 'STARTED', p_now);
  else
    perform freshet.restart_run(v_run.id, v_run.attempt, p_now);
  end if;
  return query select v_run.id, v_run.status, v_run.attempt;
end
$$;
