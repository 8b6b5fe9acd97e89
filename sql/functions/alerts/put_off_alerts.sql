-- No message for so long: the receiver asked for time. Answers from when on the next may be sent.
-- Called by: src/domain/alerts/deliver-alerts.ts. Locks: the alert stream's row. Idempotent.
create or replace function freshet.put_off_alerts(p_wait interval, p_now timestamptz default null) returns timestamptz
language sql volatile set search_path = ''
as $$
  -- As a default, no upgrade of pg-boss could drop that function.
  update freshet.alert_stream set free_at = greatest(free_at, coalesce(p_now, pgboss.job_now()) + p_wait) returning free_at
$$;
