-- Deletes entries of the audit log older than p_keep, the oldest first, and writes an entry that says so.
-- It acts with the rights of its owner, because the runtime role may delete no entry by itself. So that nobody covers his
-- tracks through it, it keeps 90 days whatever it is asked (FR041) and believes no time later than the database's own.
-- Called by: maintenance, where FRESHET_AUDIT_KEEP_DAYS is set. Locks: the rows it deletes. Idempotent.
-- At most p_max_rows a call; answers how many.
create or replace function freshet.prune_audit_log(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile security definer set search_path = ''
as $$
declare
  v_count integer;
  v_last bigint;
begin
  if p_keep < interval '90 days' then
    raise exception 'The audit log is kept for at least 90 days.'
      using errcode = 'FR041', hint = 'Set FRESHET_AUDIT_KEEP_DAYS to 90 or more, or to 0 to keep it for ever.';
  end if;
  with gone as (
    delete from freshet.audit_log
    where id in (
      select id from freshet.audit_log where at <= least(p_now, now()) - p_keep order by at limit p_max_rows
    )
    returning id
  )
  select count(*), max(id) into v_count, v_last from gone;
  if v_count > 0 then
    perform freshet.write_audit(
      p_actor_key_id => null, p_actor => 'maintenance', p_action => 'PRUNE_AUDIT_LOG', p_object_type => 'AuditEntry',
      p_object_id => null, p_changes => jsonb_build_object(
        'deleted', jsonb_build_object('to', v_count), 'upTo', jsonb_build_object('to', v_last::text)
      ), p_request_id => 'prune_audit_log'
    );
  end if;
  return v_count;
end
$$;
