-- Refuses to rewrite the story of a run: events are appended, get their position once, and leave only when they are pruned,
-- after their run has ended (or together with it).
-- Called by: the triggers _100_refuse_update and _100_refuse_delete on run_events. Locks: none.
create or replace function freshet.tg_run_events__keep_the_story() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  if tg_op = 'DELETE' and not exists (select from freshet.runs where id = old.run_id and status = 'RUNNING') then
    return old;
  end if;
  raise exception 'The events of a run are append-only.' using errcode = 'FR001', hint = 'Append a new event instead.';
end
$$;
