create or replace trigger _100_plan before insert or update of cron, time_zone, period_seconds, is_enabled on freshet.schedules
  for each row execute function freshet.tg_schedules__plan();
