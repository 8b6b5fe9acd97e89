-- A job gave up delivering: what waits says why, and goes on waiting for the next job. Answers how many wait.
-- Called by: src/domain/alerts/deliver-alerts.ts. Locks: the alert stream's row. Idempotent.
create or replace function freshet.fail_alert_delivery(p_job_id uuid, p_error text, p_now timestamptz default null) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  p_now := coalesce(p_now, pgboss.job_now()); -- as a default, no upgrade of pg-boss could drop that function
  update freshet.alert_stream set gave_up_at = p_now, job_id = nullif(job_id, p_job_id);
  update freshet.alert_news set delivery_error = p_error where is_pending;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
