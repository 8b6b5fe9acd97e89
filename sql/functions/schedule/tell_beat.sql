-- What a beat of the clock means to others: the clock is not late; a worker that drives instead of pg_cron says so until
-- pg_cron is back; a clock that was set back by more than a minute (p_ahead: how far the last beat lies in the future) is told
-- for an hour; alerts that no job is left to deliver get one.
-- Called by: tick. Locks: the open alerts of the clock. Idempotent.
create or replace function freshet.tell_beat(p_previous text, p_driver text, p_now timestamptz, p_ahead interval default null)
returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform freshet.resolve_alert('clock:late', p_now);
  if p_driver = 'pg_cron' then
    perform freshet.resolve_alert('clock:taken-over', p_now);
  elsif p_previous = 'pg_cron' then
    perform freshet.raise_alert(
      p_kind => 'CLOCK_TAKEN_OVER', p_severity => 'P2', p_subject => 'clock', p_dedupe_key => 'clock:taken-over',
      p_message => format('pg_cron stopped calling freshet.tick(); %s drives the schedules.', p_driver),
      p_details => jsonb_build_object('driver', p_driver, 'previous', p_previous), p_now => p_now
    );
  end if;
  if p_ahead > interval '1 minute' then
    perform freshet.raise_alert(
      p_kind => 'CLOCK_SET_BACK', p_severity => 'P2', p_subject => 'clock', p_dedupe_key => 'clock:set-back',
      p_message =>
        format('The clock was set back by %s s; schedules may have run too early.', round(extract(epoch from p_ahead))),
      p_details => jsonb_build_object('seconds', round(extract(epoch from p_ahead)), 'driver', p_driver), p_now => p_now
    );
  elsif exists (
    select from freshet.alerts
    where dedupe_key = 'clock:set-back' and resolved_at is null and last_raised_at <= p_now - interval '1 hour'
  ) then
    perform freshet.resolve_alert('clock:set-back', p_now);
  end if;
  perform freshet.wake_notify(p_now);
end
$$;
