-- Writes a line of the audit log for each of several objects ($4) of one type, with what was done to it ($5) and what changed ($6).
select freshet.write_audit(
  p_actor_key_id => $1::bigint, p_actor => $2, p_action => o.action, p_object_type => $3, p_object_id => o.id,
  p_changes => o.changes::jsonb, p_request_id => $7
)
from unnest($4::text[], $5::text[], $6::text[]) o (id, action, changes)
