-- Reads a cron expression into what cron_next searches: five masks (see parse_cron_field) and two rules.
--   1 minutes 0–59, 2 hours 0–23, 3 days 1–31, 4 months 1–12, 5 weekdays Sunday–Saturday
--   6 which days fit: 'days' (the weekday is *), 'weekdays' (the day of the month is *), 'either' (both are restricted)
--   7 in the hour that clocks repeat: 'once', 'again', or 'always' (every hour fits, so nothing needs a rule); see
--     docs/decisions/0009-a-named-hour-happens-once-a-day.md
-- Called by: cron_next, tg_schedules__plan. Locks: none. Raises FR031 with the position of the first error.
create or replace function freshet.parse_cron(p_expr text) returns text[]
language plpgsql immutable strict set search_path = ''
as $$
declare
  v_names constant text[] := '{minute,hour,day of the month,month,weekday}';
  v_text text := translate(p_expr, E'\t\r\n', '   ');
  v_field text[] := '{}';
  v_start integer[] := '{}';
  v_position integer := 1;
  v_word text;
  v_masks text[];
begin
  if length(p_expr) > 1000 then
    perform freshet.refuse_cron(p_expr, 1001, 'length', 'it has more than 1000 characters.', 'Use ranges and steps instead of long lists.');
  end if;
  if left(ltrim(v_text), 1) = '@' then
    v_word := case lower(btrim(v_text))
      when '@hourly' then '0 * * * *'
      when '@daily' then '0 0 * * *'
      when '@midnight' then '0 0 * * *'
      when '@weekly' then '0 0 * * 0'
      when '@monthly' then '0 0 1 * *'
      when '@yearly' then '0 0 1 1 *'
      when '@annually' then '0 0 1 1 *'
    end;
    if v_word is null then
      perform freshet.refuse_cron(p_expr, strpos(p_expr, '@'), 'shorthand', format('"%s" is not known.', left(btrim(v_text), 20)),
        'Known are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually.');
    end if;
    return freshet.parse_cron(v_word);
  end if;

  loop
    v_position := length(v_text) - length(ltrim(substr(v_text, v_position))) + 1;
    v_word := split_part(substr(v_text, v_position), ' ', 1);
    exit when v_word = '';
    if cardinality(v_field) = 5 then
      perform freshet.refuse_cron(p_expr, v_position, 'sixth field', 'an expression has five fields.',
        'Write minute, hour, day of the month, month and weekday; there are no seconds and no years.');
    end if;
    v_field := v_field || v_word;
    v_start := v_start || v_position;
    v_position := v_position + length(v_word);
  end loop;
  if cardinality(v_field) < 5 then
    perform freshet.refuse_cron(p_expr, length(p_expr) + 1, v_names[cardinality(v_field) + 1], 'this field is missing.',
      'Write five fields: minute, hour, day of the month, month and weekday, such as 30 6 * * MON-FRI.');
  end if;

  v_masks := array[
    freshet.parse_cron_field(p_expr, v_start[1], v_field[1], v_names[1], 0, 59),
    freshet.parse_cron_field(p_expr, v_start[2], v_field[2], v_names[2], 0, 23),
    freshet.parse_cron_field(p_expr, v_start[3], v_field[3], v_names[3], 1, 31),
    freshet.parse_cron_field(p_expr, v_start[4], v_field[4], v_names[4], 1, 12, ' JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'),
    freshet.parse_cron_field(p_expr, v_start[5], v_field[5], v_names[5], 0, 7, ' SUN MON TUE WED THU FRI SAT'),
    case when v_field[5] = '*' then 'days' when v_field[3] = '*' then 'weekdays' else 'either' end,
    case when left(v_field[1], 1) = '*' then 'again' else 'once' end
  ];
  if right(v_masks[5], 1) = '1' then -- 7 is Sunday too
    v_masks[5] := '1' || substr(v_masks[5], 2);
  end if;
  v_masks[5] := left(v_masks[5], 7);
  if strpos(v_masks[2], '0') = 0 then
    v_masks[7] := 'always';
  end if;
  -- Only 30 and 31 are missing from some month, so this is the whole of what can never happen.
  if v_masks[6] = 'days' and strpos(left(v_masks[3], 29), '1') = 0 and not (
    substr(v_masks[3], 30, 1) = '1' and v_masks[4] <> '010000000000'
    or substr(v_masks[3], 31, 1) = '1' and (v_masks[4]::varbit & b'101010110101') <> b'000000000000'
  ) then
    perform freshet.refuse_cron(p_expr, v_start[3], v_names[3], 'no month of this expression has such a day.',
      'February has at most 29 days; April, June, September and November have 30.');
  end if;
  return v_masks;
end
$$;
