-- Who holds this lock, as seen by the run of p_job_id: 'NOBODY', also where the session went while this looked: it let go of its
-- locks before; 'SAME_JOB': an earlier attempt of this job; 'ENDING': a run that has ended, or an attempt that will start none
-- because its job was taken away; 'DECISION': an operator's decision, which makes no run; 'OTHER': another run at work, or
-- somebody unknown.
-- Called by: src/db/run-lock.ts, when the lock was busy; src/domain/feeds/request-decision.ts, for no job. Locks: none.
create or replace function freshet.run_lock_holder(p_lock_class integer, p_lock_id integer, p_job_id uuid) returns text
language sql volatile set search_path = ''
as $$
  with holder as (
    select a.application_name as name,
      case when a.application_name ~ '^freshet:run:[0-9a-f-]{36}$' then substr(a.application_name, 13)::uuid end as job_id
    from pg_catalog.pg_locks l join pg_catalog.pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = p_lock_class::oid and l.objid = p_lock_id::oid
      and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())
  )
  select coalesce((
    select case
      when h.job_id = p_job_id then 'SAME_JOB'
      when exists (select from freshet.runs r where r.job_id = h.job_id and r.status <> 'RUNNING') then 'ENDING'
      when not exists (select from freshet.runs r where r.job_id = h.job_id) and exists (
        select from pgboss.queue q join pgboss.job j on j.name = q.name where j.id = h.job_id and j.state <> 'active'
      ) then 'ENDING'
      when h.name like 'freshet:decision:%' then 'DECISION'
      else 'OTHER'
    end
    from holder h limit 1
  ), 'NOBODY')
$$;
