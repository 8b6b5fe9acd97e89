-- Says that people should look at something. While an alert with the same key is open it is counted instead of repeated and
-- keeps its worst severity; one that becomes more severe needs a new acknowledgement. Answers the alert's id.
-- Called by: SQL functions, in the transaction of what they found. Locks: the open alert of that key.
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
begin
  insert into freshet.alerts as a (
    kind, severity, subject, dedupe_key, message, details, raised_at, last_raised_at, source_id, run_id
  )
  values (p_kind, p_severity, p_subject, p_dedupe_key, p_message, coalesce(p_details, '{}'), p_now, p_now, p_source_id, p_run_id)
  on conflict (dedupe_key) where resolved_at is null do update
  set times_raised = a.times_raised + 1, last_raised_at = greatest(a.last_raised_at, p_now), subject = excluded.subject,
    message = excluded.message, details = excluded.details, severity = least(a.severity, excluded.severity),
    source_id = coalesce(excluded.source_id, a.source_id), run_id = coalesce(excluded.run_id, a.run_id),
    acknowledged_at = case when excluded.severity < a.severity then null else a.acknowledged_at end,
    acknowledged_by = case when excluded.severity < a.severity then null else a.acknowledged_by end
  returning a.id into v_id;
  perform freshet.tell_alert(v_id, p_severity, p_now);
  return v_id;
end
$$;
