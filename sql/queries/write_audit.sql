-- Writes one line of the audit log.
select freshet.write_audit(
  p_actor_key_id => $1::bigint, p_actor => $2, p_action => $3, p_object_type => $4, p_object_id => $5, p_changes => $6::jsonb,
  p_request_id => $7
)
