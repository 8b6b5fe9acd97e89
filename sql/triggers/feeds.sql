create or replace trigger _100_touch_updated_at before update on freshet.feeds
  for each row execute function freshet.tg_touch_updated_at();

create or replace trigger _200_forget_file before update on freshet.feeds
  for each row execute function freshet.tg_feeds__forget_file();

create or replace trigger _500_make_requests after insert on freshet.feeds
  for each row execute function freshet.tg_feeds__make_requests();

create or replace trigger _200_number_request before update of last_run_at on freshet.schedules
  for each row
  when (new.kind = 'feed' and new.last_run_at is distinct from old.last_run_at)
  execute function freshet.tg_schedules__number_request();

create or replace trigger _200_begin_feed_run after insert or update of attempt on freshet.runs
  for each row
  when (new.lock_class = 4620 and new.status = 'RUNNING')
  execute function freshet.tg_runs__begin_feed_run();

create or replace trigger _300_settle_feed_run after update of status on freshet.runs
  for each row
  when (new.lock_class = 4620 and old.status = 'RUNNING' and new.status <> 'RUNNING')
  execute function freshet.tg_runs__settle_feed_run();

create or replace trigger _100_refuse_update before update on freshet.prices
  for each row execute function freshet.tg_history__keep_what_was_shown();
create or replace trigger _100_keep_what_was_shown after delete on freshet.prices
  referencing old table as gone for each statement execute function freshet.tg_history__keep_what_was_shown();
create or replace trigger _100_refuse_truncate before truncate on freshet.prices
  for each statement execute function freshet.tg_history__keep_what_was_shown();

create or replace trigger _100_refuse_update before update on freshet.offer_versions
  for each row execute function freshet.tg_history__keep_what_was_shown();
create or replace trigger _100_keep_what_was_shown after delete on freshet.offer_versions
  referencing old table as gone for each statement execute function freshet.tg_history__keep_what_was_shown();
create or replace trigger _100_refuse_truncate before truncate on freshet.offer_versions
  for each statement execute function freshet.tg_history__keep_what_was_shown();

create or replace trigger _100_refuse_update before update on freshet.promotions
  for each row execute function freshet.tg_history__keep_what_was_shown();
create or replace trigger _100_keep_what_was_shown after delete on freshet.promotions
  referencing old table as gone for each statement execute function freshet.tg_history__keep_what_was_shown();
create or replace trigger _100_refuse_truncate before truncate on freshet.promotions
  for each statement execute function freshet.tg_history__keep_what_was_shown();
