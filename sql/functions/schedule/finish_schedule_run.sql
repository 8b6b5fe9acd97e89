-- Notes how a job of a schedule ended: SUCCEEDED with the rows it touched, or FAILED with the error.
-- Called by: jobs whose schedule keeps a history. Locks: the row. Idempotent.
create or replace function freshet.finish_schedule_run(
  p_id bigint, p_outcome text, p_rows_touched bigint, p_error text, p_now timestamptz
) returns void
language sql volatile set search_path = ''
as $$
  update freshet.schedule_runs
  set finished_at = p_now, outcome = p_outcome, rows_touched = p_rows_touched, error = p_error
  where id = p_id
$$;
