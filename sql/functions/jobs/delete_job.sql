-- Deletes a job, in whatever state it is, and answers that state; null where there is no such job. The run is ended by the
-- caller, in the same transaction (cancel_run_of_job).
-- Called by: src/domain/queue/operate.ts. Locks: the job's row.
create or replace function freshet.delete_job(p_queue text, p_id uuid) returns text
language sql volatile set search_path = ''
as $$
  delete from pgboss.job where name = p_queue and id = p_id returning state::text
$$;
