-- One beat of the clock: takes or renews the lease, enqueues what is due, and places run events and news of alerts that
-- nobody placed, all in one transaction. Does nothing while another driver's lease runs, except that pg_cron takes the clock
-- back at its next call. A beat from the future came from a clock that has been set back since: nobody has to wait for its
-- lease, an alert says so, and after more than an hour the schedules are planned anew (replan_schedules). Nor does anybody wait
-- for a lease of more than a day whose driver has been silent for three minutes: no driver takes one.
-- Says whether the caller drives, and how many schedules it claimed.
-- Called by: pg_cron every minute (with no arguments), a worker every 5 s. Locks: the clock's row, so that of any number
-- of callers one drives at a time, and the schedules that are due. Idempotent: called again it finds nothing due.
create or replace function freshet.tick(
  p_driver text default 'pg_cron',
  p_lease interval default '150 seconds',
  p_now timestamptz default now(),
  out drives boolean,
  out claimed integer
)
language plpgsql volatile set search_path = ''
as $$
declare
  v_previous freshet.clock;
  v_ahead interval;
  v_at_once constant integer := 1000;
  v_placed integer;
begin
  select * into v_previous from freshet.clock;
  v_ahead := v_previous.last_tick_at - p_now;
  claimed := 0;
  update freshet.clock
  set driver = p_driver, lease_until = p_now + p_lease, last_tick_at = p_now
  where driver is not distinct from p_driver or p_driver = 'pg_cron' or lease_until is null or lease_until <= p_now
    or last_tick_at > p_now + interval '1 minute'
    or lease_until > p_now + interval '1 day' and coalesce(last_tick_at, '-infinity') < p_now - interval '3 minutes';
  drives := found;
  if not drives then
    return;
  end if;
  if v_ahead > interval '1 hour' then
    perform freshet.replan_schedules(p_now);
  end if;
  begin
    claimed := freshet.enqueue_due(p_now);
  exception when others then
    claimed := freshet.enqueue_due_singly(p_now);
  end;
  -- What is told of the beat never undoes it.
  begin
    perform freshet.tell_beat(v_previous.driver, p_driver, p_now, v_ahead);
  exception when others then
    raise warning 'The clock beat, but could not tell of it: %', sqlerrm;
  end;
  -- Last, because their locks are held to the end. Without anybody who listens, these are the only places that are given.
  begin
    perform freshet.place_alert_news();
    -- A backlog is placed round by round, but not all of a large one: a beat is short, and the next one goes on.
    for v_round in 1..20 loop
      select p.placed into v_placed from freshet.place_run_events(null, v_at_once) p;
      exit when v_placed < v_at_once;
    end loop;
  exception when others then
    raise warning 'The clock beat, but could not place events: %', sqlerrm;
  end;
end
$$;
