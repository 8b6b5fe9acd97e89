-- Refuses a schedule that could never be worked (a bad cron expression: FR031, an unknown time zone: FR032) and keeps
-- next_run_at: null while disabled, the next time when enabled or when the rule changed, else what the writer gave.
-- Called by: the trigger _100_plan on schedules; not when tick moves next_run_at. Locks: none.
create or replace function freshet.tg_schedules__plan() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  -- One that went bad after it was stored can still be disabled.
  if tg_op = 'INSERT' or new.is_enabled or new.cron is distinct from old.cron then
    perform freshet.parse_cron(new.cron);
  end if;
  if tg_op = 'INSERT' or new.time_zone <> old.time_zone then
    perform freshet.check_time_zone(new.time_zone);
  end if;
  if not new.is_enabled then
    new.next_run_at := null;
  elsif new.next_run_at is null or (
    tg_op = 'UPDATE'
    and new.next_run_at is not distinct from old.next_run_at
    and (new.cron, new.time_zone, new.period_seconds) is distinct from (old.cron, old.time_zone, old.period_seconds)
  ) then
    new.next_run_at := freshet.next_run_at(new.cron, new.time_zone, new.period_seconds, null, now());
  end if;
  return new;
end
$$;
