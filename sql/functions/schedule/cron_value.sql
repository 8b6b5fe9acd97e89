-- One value of a cron field, a number or a name, as a number; null for anything else. It may lie outside the field's range.
-- Called by: parse_cron_field. Locks: none.
create or replace function freshet.cron_value(p_text text, p_least integer, p_names text) returns integer
language plpgsql immutable set search_path = ''
as $$
declare
  v_place integer;
begin
  if p_text <> '' and length(p_text) <= 4 and translate(p_text, '0123456789', '') = '' then
    return p_text;
  end if;
  if length(p_text) <> 3 then
    return null;
  end if;
  v_place := strpos(p_names, ' ' || upper(p_text));
  return case when v_place > 0 then p_least + v_place / 4 end;
end
$$;
