-- One value of a cron field, a number or the name of a month or weekday; null for anything else. The number may lie
-- outside the field's range.
-- Called by: parse_cron_field. Locks: none.
create or replace function freshet.cron_value(p_text text, p_number integer) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  v_place integer;
begin
  if p_text <> '' and length(p_text) <= 4 and translate(p_text, '0123456789', '') = '' then
    return p_text;
  end if;
  v_place := case p_number
    when 4 then strpos(' JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC ', ' ' || upper(p_text) || ' ')
    when 5 then strpos('SUN MON TUE WED THU FRI SAT ', upper(p_text) || ' ') -- Sunday is 0, and begins the text
  end;
  return case when v_place > 0 and length(p_text) = 3 then (v_place + 3) / 4 - (p_number - 4) end;
end
$$;
