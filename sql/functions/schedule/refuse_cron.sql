-- Refuses a cron expression and says where and why: the character (from 1), the field, what is wrong and what to write.
-- Positions are worked out here, so that reading a good expression does not pay for them.
-- Called by: parse_cron, parse_cron_field. Locks: none. Never returns.
create or replace function freshet.refuse_cron(
  p_expr text,
  p_number integer, -- of the field, from 1; 0 for the whole expression
  p_offset integer, -- within the field, from 0
  p_problem text,
  p_hint text
) returns void
language plpgsql immutable set search_path = ''
as $$
declare
  v_text constant text := translate(p_expr, E'\t\r\n', '   ');
  v_field text := coalesce(
    (array['minute', 'hour', 'day of the month', 'month', 'weekday', 'sixth field'])[p_number],
    'whole'
  );
  v_position integer := 1;
begin
  for v_number in 1..p_number loop
    v_position := length(v_text) - length(ltrim(substr(v_text, v_position))) + 1;
    if v_number < p_number then
      v_position := v_position + length(split_part(substr(v_text, v_position), ' ', 1));
    end if;
  end loop;
  v_position := v_position + p_offset;
  if p_number = 1 and left(ltrim(v_text), 1) = '@' then
    v_field := 'shorthand';
  end if;
  raise exception 'The cron expression "%" is refused at character % (%): %', left(p_expr, 200), v_position, v_field, p_problem
    using errcode = 'FR031', detail = format('position %s, field %s', v_position, v_field), hint = p_hint;
end
$$;
