-- The first moment strictly after p_after that a cron expression fits in a time zone.
-- Where clocks go forward, a skipped time happens as much later as they went; where they go back, an expression that names
-- its hours happens once, in the first pass (docs/decisions/0010-a-named-hour-happens-once-a-day.md).
-- Called by: next_run_at. Locks: none. Raises FR031 for a bad expression; an unknown zone is Postgres's own 22023.
create or replace function freshet.cron_next(p_expr text, p_after timestamptz, p_time_zone text default 'UTC') returns timestamptz
language plpgsql stable strict set search_path = ''
as $$
declare
  v_cron constant text[] := freshet.parse_cron(p_expr);
  v_wall timestamp := p_after at time zone p_time_zone; -- what a clock on the wall shows
  v_jump interval;
  v_first timestamptz; -- when the wall shows it, in the first pass
  v_last timestamptz; -- and in the second; the same moment but for the hour that is repeated
  v_best timestamptz;
begin
  if p_time_zone = 'UTC' then
    return freshet.cron_next_wall(v_cron, v_wall) at time zone 'UTC';
  end if;

  -- Times up to here may still come: those that a gap has just moved behind now, and those that clocks will show again.
  v_jump := v_wall - (p_after - interval '24 hours') at time zone p_time_zone - interval '24 hours';
  if v_cron[7] <> 'always' and v_jump > interval '0'
    and ((v_wall - v_jump) at time zone p_time_zone) at time zone p_time_zone <> v_wall - v_jump then
    v_wall := v_wall - v_jump;
  elsif v_cron[7] <> 'once' and v_wall at time zone p_time_zone > p_after then
    v_wall := v_wall - (v_wall at time zone p_time_zone - p_after);
  end if;

  loop
    v_wall := freshet.cron_next_wall(v_cron, v_wall);
    v_last := v_wall at time zone p_time_zone; -- Postgres reads a skipped time with the offset before, a repeated one with that after
    if v_last at time zone p_time_zone <> v_wall then
      if v_cron[7] <> 'always' and v_last > p_after then
        v_best := least(v_best, v_last);
      end if;
      continue;
    end if;
    v_first := v_last;
    v_jump := v_wall - (v_last - interval '24 hours') at time zone p_time_zone - interval '24 hours';
    if v_jump < interval '0' then
      v_first := v_last + make_interval(secs => extract(epoch from v_jump)::double precision);
      if v_first at time zone p_time_zone <> v_wall then
        v_first := v_last;
      end if;
    end if;
    if v_cron[7] <> 'once' and v_last > p_after then
      v_best := least(v_best, v_last);
    end if;
    if v_first > p_after then
      return least(v_best, v_first);
    end if;
  end loop;
end
$$;
