-- Lets one job at a time deliver all alerts that wait, a message a second. The outcome says what the job is to do:
-- DELIVER these alerts, most severe first; WAIT so many seconds; SERVED, another job sees to them; NOTHING is left; ELSEWHERE,
-- this worker has no receiver, but one of the last 7 days had: what waits is left to it. A job that is SERVED may end: the one
-- at work asks again before it ends. Alerts that were resolved wait no longer. Nobody is asked for more than an hour, so what
-- would be free later than that was noted by a clock that has been set back since, and is not waited for.
-- Called by: src/domain/alerts/deliver-alerts.ts. Locks: the alert stream's row. Idempotent but for the second it takes.
create or replace function freshet.claim_alerts(
  p_job_id uuid,
  p_now timestamptz default null,
  p_has_receiver boolean default true,
  p_max_rows integer default 1000,
  out outcome text,
  out wait_seconds integer,
  out alerts jsonb
)
language plpgsql volatile set search_path = ''
as $$
declare
  v_stream freshet.alert_stream;
begin
  p_now := coalesce(p_now, pgboss.job_now()); -- as a default, no upgrade of pg-boss could drop that function
  select * into v_stream from freshet.alert_stream for update;
  if v_stream.job_id <> p_job_id and freshet.is_notify_alive(v_stream.job_id) then
    outcome := 'SERVED';
    return;
  end if;
  update freshet.alert_news n set is_pending = false
  from freshet.alerts a
  where n.is_pending and a.id = n.alert_id and a.resolved_at is not null;
  select jsonb_agg(to_jsonb(waiting) order by waiting.severity, waiting.id) into alerts
  from (
    select a.id::text as id, a.kind, a.severity, a.subject, a.message, a.times_raised as "timesRaised", array_agg(n.id::text) as "newsIds",
      exists (select from freshet.alert_news t where t.alert_id = a.id and t.delivered_at is not null) as "isEscalated"
    from freshet.alert_news n
    join freshet.alerts a on a.id = n.alert_id
    where n.is_pending
    group by a.id
    order by a.severity, a.id
    limit p_max_rows
  ) waiting;
  if alerts is null then
    outcome := 'NOTHING';
  elsif not p_has_receiver and exists (select from freshet.alert_news where delivered_at > p_now - interval '7 days') then
    outcome := 'ELSEWHERE';
    alerts := null;
  elsif v_stream.free_at > p_now and v_stream.free_at <= p_now + interval '1 hour' then
    outcome := 'WAIT';
    wait_seconds := ceil(extract(epoch from v_stream.free_at - p_now));
    alerts := null;
  else
    outcome := 'DELIVER';
  end if;
  update freshet.alert_stream
  set job_id = case when outcome in ('NOTHING', 'ELSEWHERE') then null else p_job_id end,
    free_at = case when outcome = 'DELIVER' then p_now + interval '1 second' else free_at end;
end
$$;
