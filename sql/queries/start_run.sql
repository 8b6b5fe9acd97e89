-- Starts the run of the job $1, or finds it.
select run_id::text as "runId", status, attempt
from freshet.start_run(
  p_job_id => $1, p_kind => $2, p_trigger => $3, p_source_id => $4, p_lock_class => $5, p_lock_id => $6, p_now => $7
)
