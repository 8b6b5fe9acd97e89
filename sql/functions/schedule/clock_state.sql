-- Who drives the clock, and whether it is late. A clock that never beat is as old as the last deploy. A beat in the future came
-- before the database's clock was set back, and nobody has beaten since: it is as old as it lies ahead. Late means 165 s: pg_cron's
-- lease (150 s), a worker's beat (5 s), and time to tell of it within three minutes. What was told stays late until the next
-- beat, also while time comes by the moment at which the wrong clock beat.
-- Called by: the API, /readyz, the metrics, `freshet doctor`, watch_clock. Locks: none.
create or replace function freshet.clock_state(
  p_now timestamptz, out driver text, out last_tick_at timestamptz, out lease_until timestamptz, out lag_seconds double precision,
  out is_late boolean
)
language sql stable set search_path = ''
as $$
  select c.driver, c.last_tick_at, c.lease_until,
    abs(extract(epoch from p_now - c.last_tick_at))::double precision,
    abs(extract(epoch from p_now - coalesce(c.last_tick_at, (select max(applied_at) from freshet.applied_sql)))) > 165
      or exists (select from freshet.alerts where dedupe_key = 'clock:late' and resolved_at is null)
  from freshet.clock c
$$;
