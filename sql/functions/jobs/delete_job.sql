-- Deletes a job, in whatever state it is, and answers that state; null where there is no such job. A dead letter that was not
-- told yet stays: nobody else would end the run of the job that failed, or tell of it. The run is ended by the caller, in the
-- same transaction (cancel_run_of_job).
-- Called by: src/domain/queue/operate.ts. Locks: the job's row.
create or replace function freshet.delete_job(p_queue text, p_id uuid) returns text
language sql volatile set search_path = ''
as $$
  delete from pgboss.job
  where name = p_queue and id = p_id
    and not (freshet.is_dead_queue(p_queue) and state in ('created', 'retry', 'active'))
  returning state::text
$$;
