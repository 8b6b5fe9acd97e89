create or replace trigger _100_touch_updated_at before update on freshet.retailers
  for each row execute function freshet.tg_touch_updated_at();

create or replace trigger _100_touch_updated_at before update on freshet.sources
  for each row execute function freshet.tg_touch_updated_at();
