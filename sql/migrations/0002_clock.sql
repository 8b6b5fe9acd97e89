-- The clock is one row: who drives it, until when its lease runs, when it last ticked.
create table freshet.clock (
  is_only boolean primary key default true,
  driver text,
  lease_until timestamptz,
  last_tick_at timestamptz,
  constraint there_is_one_clock check (is_only)
);
insert into freshet.clock default values;
