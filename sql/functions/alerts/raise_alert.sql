-- Says that people should look at something. While an alert with the same key is open it is counted instead of repeated;
-- a new one, and one that became more severe, is announced and handed to the queue `notify`. Answers the alert's id.
-- Called by: SQL functions and the domain. Locks: the open alert of that key. In the caller's transaction.
create or replace function freshet.raise_alert(
  p_kind text,
  p_severity freshet.alert_severity,
  p_subject text,
  p_dedupe_key text,
  p_message text,
  p_details jsonb,
  p_now timestamptz,
  p_source_id bigint default null,
  p_run_id bigint default null
) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_id bigint;
  v_is_news boolean;
begin
  insert into freshet.alerts as a (
    kind, severity, subject, dedupe_key, message, details, raised_at, last_raised_at, source_id, run_id
  )
  values (p_kind, p_severity, p_subject, p_dedupe_key, p_message, coalesce(p_details, '{}'), p_now, p_now, p_source_id, p_run_id)
  on conflict (dedupe_key) where resolved_at is null do update
  set times_raised = a.times_raised + 1, last_raised_at = p_now, message = excluded.message, details = excluded.details,
    severity = least(a.severity, excluded.severity), run_id = coalesce(excluded.run_id, a.run_id),
    delivered_at = case when excluded.severity < a.severity then null else a.delivered_at end
  returning id, times_raised = 1 or (p_severity = severity and delivered_at is null and last_raised_at = p_now)
  into v_id, v_is_news;
  if v_is_news then
    perform pg_notify('freshet_alerts', v_id::text);
    perform freshet.enqueue('notify', jsonb_build_object('alertId', v_id::text));
  end if;
  return v_id;
end
$$;
