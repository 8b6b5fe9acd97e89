-- Notes that a job of a schedule began. A retry of the same job begins its one row again.
-- Called by: jobs whose schedule keeps a history. Locks: the job's row. Idempotent. Answers the row's id.
create or replace function freshet.start_schedule_run(p_schedule_id bigint, p_job_id uuid, p_now timestamptz) returns bigint
language sql volatile set search_path = ''
as $$
  insert into freshet.schedule_runs (schedule_id, job_id, started_at) values (p_schedule_id, p_job_id, p_now)
  on conflict (job_id) do update
  set started_at = excluded.started_at, finished_at = null, rows_touched = null, outcome = null, error = null
  returning id
$$;
