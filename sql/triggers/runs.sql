create or replace trigger _100_keep_what_is_final before update on freshet.runs
  for each row
  when (
    old.status <> 'RUNNING'
    or (old.id, old.job_id, old.kind, old.trigger, old.source_id, old.started_at)
      is distinct from (new.id, new.job_id, new.kind, new.trigger, new.source_id, new.started_at)
  )
  execute function freshet.tg_runs__keep_what_is_final();

create or replace trigger _100_refuse_update before update on freshet.run_events
  for each row
  when (
    old.position is not null or new.position is null
    or (old.run_id, old.number, old.at, old.attempt, old.kind, old.stage, old.code, old.message, old.counters)
      is distinct from (new.run_id, new.number, new.at, new.attempt, new.kind, new.stage, new.code, new.message, new.counters)
  )
  execute function freshet.tg_run_events__keep_the_story();

create or replace trigger _100_refuse_delete before delete on freshet.run_events
  for each row execute function freshet.tg_run_events__keep_the_story();
