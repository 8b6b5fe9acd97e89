-- Refuses to change history: an observation is never rewritten, and one whose run was ever shown is never deleted. What a run
-- wrote that was not shown may go: at a retry, or when it can no longer be shown. What made a run visible stays for ever.
-- Called by: the triggers _100_refuse_update, _100_keep_what_was_shown and _100_refuse_truncate on prices, offer_versions and
-- promotions. Locks: none. Raises FR001.
create or replace function freshet.tg_history__keep_what_was_shown() returns trigger
language plpgsql volatile set search_path = ''
as $$
declare
  v_is_empty boolean;
begin
  if tg_op = 'DELETE' then
    if not exists (
      select from (select distinct run_id from gone) g
      where tg_table_name = 'promotions' or g.run_id is null
        or exists (select from freshet.promotions p where p.run_id = g.run_id)
    ) then
      return null;
    end if;
  elsif tg_op = 'TRUNCATE' then
    execute format('select not exists (select from %I.%I)', tg_table_schema, tg_table_name) into v_is_empty;
    if v_is_empty then
      return null;
    end if;
  end if;
  raise exception 'History is not changed: % is append-only.', tg_table_name using errcode = 'FR001',
    hint = 'Write a new observation instead.';
end
$$;
