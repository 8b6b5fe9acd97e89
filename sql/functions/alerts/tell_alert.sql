-- Tells subscribers and the queue `notify` of an alert, once for each severity that it climbs to. Answers whether it was news.
-- A queue that is missing or refuses fails nobody: the news stay pending, and the next job or the clock delivers them
-- (S2 §15.2: an alert never fails a run). The job is a plain one, with no key that could make a run wait for another.
-- Called by: raise_alert, which holds the alert's row. Locks: none. Idempotent.
create or replace function freshet.tell_alert(p_alert_id bigint, p_severity freshet.alert_severity, p_now timestamptz) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  insert into freshet.alert_news (alert_id, severity, at)
  select p_alert_id, p_severity, p_now
  where not exists (select from freshet.alert_news where alert_id = p_alert_id and severity <= p_severity);
  if not found then
    return false;
  end if;
  perform pg_notify('freshet_alerts', '');
  begin
    perform freshet.enqueue('notify', '{}');
  exception when others then
    raise warning 'Alert % waits to be delivered: %', p_alert_id, sqlerrm;
  end;
  return true;
end
$$;
