-- What a field of a cron expression may hold, for the one who wrote something else.
-- Called by: parse_cron_field. Locks: none.
create or replace function freshet.cron_field_hint(p_field text, p_least integer, p_most integer, p_names text) returns text
language sql immutable set search_path = ''
as $$
  select format(
    'The %s takes %s to %s%s, as *, lists (1,15), ranges (1-5) and steps (*/5, 1-30/5, 7/10). L, W, #, H and ? are not supported.',
    p_field,
    p_least,
    p_most,
    case when p_names <> '' then format(' or the names %s to %s', substr(p_names, 2, 3), right(p_names, 3)) else '' end
  )
$$;
