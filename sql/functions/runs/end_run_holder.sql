-- Ends every other connection that holds this lock for this very job: what is left of an earlier attempt whose worker died, was
-- cut off, or does not know yet that its job was taken away. Waits up to p_wait_ms for each to be gone, and with it its lock
-- and whatever it had not committed. Answers how many it ended; connections of other runs are left alone.
-- Called by: src/db/run-lock.ts, cancel_run_of_job. Locks: none. Idempotent.
create or replace function freshet.end_run_holder(p_lock_class integer, p_lock_id integer, p_job_id uuid, p_wait_ms integer)
returns integer
language sql volatile set search_path = ''
as $$
  select count(*) filter (where pg_catalog.pg_terminate_backend(l.pid, p_wait_ms))::integer
  from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = p_lock_class::oid and l.objid = p_lock_id::oid
    and l.database = a.datid and a.datname = current_database() and a.pid <> pg_backend_pid()
    and a.application_name = 'freshet:run:' || p_job_id
$$;
