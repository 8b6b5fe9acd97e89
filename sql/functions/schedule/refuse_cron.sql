-- Refuses a cron expression and says where and why: the field, the character (from 1), what is wrong and what to write.
-- Called by: parse_cron, parse_cron_field. Locks: none. Never returns.
create or replace function freshet.refuse_cron(
  p_expr text,
  p_position integer,
  p_field text,
  p_problem text,
  p_hint text
) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  raise exception 'The cron expression "%" is refused at character % (%): %', left(p_expr, 200), p_position, p_field, p_problem
    using errcode = 'FR031', detail = format('position %s, field %s', p_position, p_field), hint = p_hint;
end
$$;
