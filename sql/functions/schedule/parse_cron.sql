-- Reads a cron expression into what cron_next searches: five masks (see parse_cron_field) and two rules.
--   1 minutes 0–59, 2 hours 0–23, 3 days 1–31, 4 months 1–12, 5 weekdays Sunday–Saturday
--   6 which days fit: 'days' (the weekday is *), 'weekdays' (the day of the month is *), 'either' (both are restricted)
--   7 in the hour that clocks repeat: 'once', 'again', or 'always' (every hour of the day fits); see
--     docs/decisions/0010-a-named-hour-happens-once-a-day.md
-- Called by: cron_next, tg_schedules__plan, src/domain/schedules. Locks: none. Raises FR031 with the position of the first error.
create or replace function freshet.parse_cron(p_expr text) returns text[]
language plpgsql immutable strict set search_path = ''
as $$
declare
  v_expr constant text := case
    when strpos(p_expr, '@') = 0 then p_expr
    else case lower(btrim(p_expr))
      when '@hourly' then '0 * * * *'
      when '@daily' then '0 0 * * *'
      when '@midnight' then '0 0 * * *'
      when '@weekly' then '0 0 * * 0'
      when '@monthly' then '0 0 1 * *'
      when '@yearly' then '0 0 1 1 *'
      when '@annually' then '0 0 1 1 *'
      else p_expr
    end
  end;
  v_field constant text[] := array_remove(string_to_array(translate(v_expr, E'\t\r\n', '   '), ' '), '');
  v_minutes text;
  v_hours text;
  v_days text;
  v_months text;
  v_weekdays text;
begin
  if length(p_expr) > 1000 then
    perform freshet.refuse_cron(p_expr, 0, 1000, 'it has more than 1000 characters.', 'Use ranges and steps instead of long lists.');
  elsif left(v_field[1], 1) = '@' then
    perform freshet.refuse_cron(p_expr, 1, 0, format('"%s" is not known.', left(v_field[1], 20)),
      'Known are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually, without anything else; for every 5 minutes write */5 * * * *.');
  elsif cardinality(v_field) <> 5 then
    perform freshet.refuse_cron(p_expr, least(cardinality(v_field) + 1, 6), 0, 'an expression has five fields.',
      'Write minute, hour, day of the month, month and weekday, such as 30 6 * * MON-FRI; there are no seconds and no years.');
  end if;

  v_minutes := freshet.parse_cron_field(v_expr, 1, v_field[1]);
  v_hours := case when v_field[2] = '*' then repeat('1', 24) else freshet.parse_cron_field(v_expr, 2, v_field[2]) end;
  v_days := case when v_field[3] = '*' then repeat('1', 31) else freshet.parse_cron_field(v_expr, 3, v_field[3]) end;
  v_months := case when v_field[4] = '*' then repeat('1', 12) else freshet.parse_cron_field(v_expr, 4, v_field[4]) end;
  v_weekdays := case when v_field[5] = '*' then repeat('1', 7) else freshet.parse_cron_field(v_expr, 5, v_field[5]) end;
  if right(v_weekdays, 1) = '1' then -- 7 is Sunday too
    v_weekdays := overlay(v_weekdays placing '1' from 1);
  end if;

  -- Any month has 29 days at some time, February alone has no 30, and five months have no 31.
  if v_field[5] = '*' and strpos(left(v_days, 29), '1') = 0 and not (
    substr(v_days, 30, 1) = '1' and v_months <> '010000000000'
    or substr(v_days, 31, 1) = '1' and (v_months::varbit & b'101010110101') <> b'000000000000'
  ) then
    perform freshet.refuse_cron(p_expr, 3, 0, 'no month of this expression has such a day.',
      'February has at most 29 days; April, June, September and November have 30.');
  end if;
  return array[
    v_minutes,
    v_hours,
    v_days,
    v_months,
    left(v_weekdays, 7),
    case when v_field[5] = '*' then 'days' when v_field[3] = '*' then 'weekdays' else 'either' end,
    case when strpos(v_hours, '0') = 0 then 'always' when left(v_field[1], 1) = '*' then 'again' else 'once' end
  ];
end
$$;
