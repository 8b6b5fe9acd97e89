-- Writes one line of the audit log, in the caller's transaction: the change and its record commit together or not at all.
-- Called by: every mutation and command that changes something (src/domain/access/audit.ts), prune_audit_log, learn_host_key.
-- Locks: none. Not idempotent.
create or replace function freshet.write_audit(
  p_actor_key_id bigint, p_actor text, p_action text, p_object_type text, p_object_id text, p_changes jsonb, p_request_id text
) returns bigint
language sql volatile set search_path = ''
as $$
  insert into freshet.audit_log (actor_key_id, actor, action, object_type, object_id, changes, request_id)
  values (p_actor_key_id, p_actor, p_action, p_object_type, p_object_id, coalesce(p_changes, '{}'), p_request_id)
  returning id
$$;
