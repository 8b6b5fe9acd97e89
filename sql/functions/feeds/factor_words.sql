-- The factor by which prices moved, for people: about 100 or 0.01 is most likely cents taken for units, or units for cents
-- (DESIGN 9.22). Blank where none moved, or only to another currency.
-- Called by: tell_block. Locks: none.
create or replace function freshet.factor_words(p_factor numeric) returns text
language sql immutable set search_path = ''
as $$
  select case
    when p_factor is null then ''
    when p_factor between 95 and 105 then format(' by a factor of %s, most likely an error of the unit (cents for units)', trim_scale(p_factor))
    when p_factor between 0.0095 and 0.0105 then format(' by a factor of %s, most likely an error of the unit (units for cents)', trim_scale(p_factor))
    else format(' by a factor of %s', trim_scale(p_factor))
  end
$$;
