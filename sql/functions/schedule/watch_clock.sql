-- Raises an alert, once, while the clock is late; the next beat resolves it. Answers how the clock stands.
-- Called by: every process every 10 s, so that an API process notices too when no worker lives. Locks: none. Idempotent.
create or replace function freshet.watch_clock(
  p_now timestamptz, out driver text, out last_tick_at timestamptz, out lease_until timestamptz, out lag_seconds double precision,
  out is_late boolean
)
language plpgsql volatile set search_path = ''
as $$
begin
  select * into driver, last_tick_at, lease_until, lag_seconds, is_late from freshet.clock_state(p_now);
  if is_late and not exists (select from freshet.alerts where dedupe_key = 'clock:late' and resolved_at is null) then
    perform freshet.raise_alert(
      p_kind => 'CLOCK_LATE', p_severity => 'P1', p_subject => 'clock', p_dedupe_key => 'clock:late',
      p_message => case when last_tick_at is null then 'Nobody drives the schedules: the clock never beat.'
        else format('The schedules stand still: the last tick was %s s ago, by %s.', round(lag_seconds), driver) end,
      p_details => jsonb_build_object('driver', driver, 'lastTickAt', last_tick_at), p_now => p_now
    );
  end if;
end
$$;
