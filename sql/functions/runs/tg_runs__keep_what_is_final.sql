-- Refuses to rewrite a run's history: nothing of a run that has ended changes, and what a run began with (job, kind, trigger,
-- source, start) never does.
-- Called by: the trigger _100_keep_what_is_final on runs. Locks: none.
create or replace function freshet.tg_runs__keep_what_is_final() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  if old.status <> 'RUNNING' then
    raise exception 'Run % has ended already.', old.id using errcode = 'FR022',
      hint = 'The end of a run is final. Start a new run.';
  end if;
  raise exception 'What run % began with does not change.', old.id using errcode = 'FR001', hint = 'Start a new run.';
end
$$;
