-- Puts a failed attempt's job back for the next one, after exactly the wait given: pg-boss's own backoff is random. It costs
-- the attempt. Answers whether it did: if this attempt no longer has the job, or it was the last, nothing changes.
-- Called by: src/jobs/kit. Locks: the job's row. Fenced by queue, id, retry count and state active.
create or replace function freshet.retry_job(
  p_queue text,
  p_id uuid,
  p_retry_count integer,
  p_wait interval,
  p_output jsonb
) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  update pgboss.job
  set state = 'retry', start_after = pgboss.job_now() + p_wait, heartbeat_on = null, output = p_output
  where name = p_queue and id = p_id and state = 'active' and retry_count = p_retry_count
    and retry_count < retry_limit;
  return found;
end
$$;
