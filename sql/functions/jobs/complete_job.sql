-- Ends a job well in the caller's transaction, together with what it wrote. Answers whether this attempt still had the job; if
-- not, nothing changes and the caller undoes the rest.
-- Called by: the dead letter handler (src/jobs/kit/dead-letter.ts). Locks: the job's row. Fenced by queue, id, retry count and state
-- active.
create or replace function freshet.complete_job(p_queue text, p_id uuid, p_retry_count integer, p_output jsonb) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  update pgboss.job
  set state = 'completed', completed_on = pgboss.job_now(), heartbeat_on = null, output = p_output
  where name = p_queue and id = p_id and state = 'active' and retry_count = p_retry_count;
  return found;
end
$$;
