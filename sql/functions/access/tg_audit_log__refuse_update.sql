-- Refuses to rewrite history: the audit log only grows (and is pruned from its old end).
-- Called by: the trigger _100_refuse_update on audit_log. Locks: none.
create or replace function freshet.tg_audit_log__refuse_update() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  raise exception 'The audit log is append-only.' using errcode = 'FR001', hint = 'Write a new entry instead.';
end
$$;
