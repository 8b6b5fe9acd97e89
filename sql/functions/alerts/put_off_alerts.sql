-- No message before that moment: the receiver asked for time. Answers the moment that holds now.
-- Called by: src/domain/alerts/deliver-alerts.ts. Locks: the alert stream's row. Idempotent.
create or replace function freshet.put_off_alerts(p_until timestamptz) returns timestamptz
language sql volatile set search_path = ''
as $$
  update freshet.alert_stream set free_at = greatest(free_at, p_until) returning free_at
$$;
