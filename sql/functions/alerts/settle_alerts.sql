-- These news of alerts wait no longer: they were delivered, or there is nowhere to deliver to.
-- Answers how many had waited. Called by: src/domain/alerts/deliver-alerts.ts. Locks: the alert stream's row. Idempotent.
create or replace function freshet.settle_alerts(p_news_ids bigint[], p_is_delivered boolean, p_now timestamptz default null) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  p_now := coalesce(p_now, pgboss.job_now()); -- as a default, no upgrade of pg-boss could drop that function
  update freshet.alert_stream set gave_up_at = null;
  update freshet.alert_news set is_pending = false, delivered_at = case when p_is_delivered then p_now end, delivery_error = null
  where id = any (p_news_ids) and is_pending;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
