-- Ends a job that found nothing to do: no retry, no failure, the reason is its output. So is a dead letter dismissed that nobody
-- need look at. Answers whether this attempt still had the job; if not, nothing changes.
-- Called by: src/jobs/kit. Locks: the job's row. Fenced by queue, id, retry count and state active.
create or replace function freshet.cancel_job(p_queue text, p_id uuid, p_retry_count integer, p_output jsonb) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  update pgboss.job
  set state = 'cancelled', completed_on = pgboss.job_now(), heartbeat_on = null, output = p_output
  where name = p_queue and id = p_id and state = 'active' and retry_count = p_retry_count;
  return found;
end
$$;
