-- Whether any connection holds this advisory lock of this database. A run without a lock has none that could be held.
-- Called by: reap_runs. Locks: none.
create or replace function freshet.is_run_lock_held(p_lock_class integer, p_lock_id integer) returns boolean
language sql volatile set search_path = ''
as $$
  select exists (
    select from pg_catalog.pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = p_lock_class::oid and l.objid = p_lock_id::oid
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  )
$$;
