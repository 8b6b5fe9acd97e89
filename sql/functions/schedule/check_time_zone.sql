-- Refuses what is not an IANA time zone. Postgres itself also takes abbreviations, which know no summer time (even where
-- a zone has the same name: CET), and POSIX offsets, whose sign is the other way round and which accept nearly any typo.
-- Called by: tg_schedules__plan, src/domain/schedules. Locks: none. Raises FR032.
create or replace function freshet.check_time_zone(p_time_zone text) returns void
language plpgsql stable set search_path = ''
as $$
begin
  if p_time_zone = 'UTC' then
    return;
  end if;
  -- The list of zones is read from hundreds of files, so it is asked only where a name could be something else.
  if p_time_zone ~ '^[A-Za-z_]+(/[A-Za-z_-]+)+$' then
    perform timestamp '2000-01-01' at time zone p_time_zone;
    return;
  end if;
  if exists (select from pg_catalog.pg_timezone_names where name = p_time_zone)
    and not exists (select from pg_catalog.pg_timezone_abbrevs where abbrev = p_time_zone and utc_offset <> interval '0') then
    return;
  end if;
  raise invalid_parameter_value;
exception when invalid_parameter_value then
  raise exception 'There is no time zone "%".', left(p_time_zone, 100)
    using errcode = 'FR032', hint = 'Use a name of the IANA list, such as UTC, Europe/Vienna or America/New_York; abbreviations and offsets are refused.';
end
$$;
