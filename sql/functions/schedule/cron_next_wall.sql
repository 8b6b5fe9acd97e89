-- The first minute after that of p_after that a parsed cron expression fits, on a calendar without a time zone.
-- Jumps from month to day to hour to minute; the longest way is eight years, to a 29 February across 2100.
-- Called by: cron_next. Locks: none.
create or replace function freshet.cron_next_wall(p_cron text[], p_after timestamp) returns timestamp
language plpgsql immutable strict set search_path = ''
as $$
declare
  v_minutes constant text := p_cron[1];
  v_hours constant text := p_cron[2];
  v_rule constant text := p_cron[6];
  v_year integer := extract(year from p_after);
  v_month integer := extract(month from p_after);
  v_day integer := extract(day from p_after);
  v_hour integer := extract(hour from p_after);
  v_is_today boolean := true;
  v_first date;
  v_next integer;
begin
  loop
    if substr(p_cron[4], v_month, 1) = '1' then
      v_first := make_date(v_year, v_month, 1);
      for v_pass in 1..2 loop
        v_next := v_day - 1 + least(
          case when v_rule <> 'weekdays' then nullif(strpos(substr(p_cron[3], v_day), '1'), 0) end,
          case when v_rule <> 'days' then
            strpos(substr(p_cron[5] || p_cron[5], extract(dow from v_first + (v_day - 1))::integer + 1), '1')
          end
        );
        exit when v_next is null or v_next > 28 and extract(month from v_first + (v_next - 1)) <> v_month;
        if not v_is_today or v_next > v_day then
          return v_first + (v_next - 1) + make_time(strpos(v_hours, '1') - 1, strpos(v_minutes, '1') - 1, 0);
        end if;
        -- Today: later in this hour, else in a later hour, else the search goes on tomorrow.
        v_is_today := false;
        if substr(v_hours, v_hour + 1, 1) = '1' then
          v_next := strpos(substr(v_minutes, extract(minute from p_after)::integer + 2), '1');
          if v_next > 0 then
            return date_trunc('minute', p_after) + make_interval(mins => v_next);
          end if;
        end if;
        v_next := strpos(substr(v_hours, v_hour + 2), '1');
        if v_next > 0 then
          return v_first + (v_day - 1) + make_time(v_hour + v_next, strpos(v_minutes, '1') - 1, 0);
        end if;
        v_day := v_day + 1;
      end loop;
    end if;
    v_is_today := false;
    v_day := 1;
    v_next := strpos(substr(p_cron[4], v_month + 1), '1');
    if v_next > 0 then
      v_month := v_month + v_next;
    else
      v_year := v_year + 1;
      v_month := strpos(p_cron[4], '1');
    end if;
  end loop;
end
$$;
