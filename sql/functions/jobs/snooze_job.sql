-- Puts an attempt's job back without costing it: the limit grows with the count, so the next claim has a number of its own
-- and whatever this attempt still sends is refused. Without a wait other workers are woken at once (a shutdown hands its jobs
-- back so). Answers whether this attempt still had the job; if not, nothing changes.
-- Called by: src/jobs/kit. Locks: the job's row. Fenced by queue, id, retry count and state active.
create or replace function freshet.snooze_job(
  p_queue text,
  p_id uuid,
  p_retry_count integer,
  p_wait interval,
  p_output jsonb
) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_queue pgboss.queue;
begin
  select * into v_queue from pgboss.queue where name = p_queue;
  update pgboss.job
  set state = 'retry', start_after = pgboss.job_now() + p_wait, heartbeat_on = null, output = coalesce(p_output, output),
    retry_limit = retry_limit + 1,
    keep_until = greatest(keep_until, pgboss.job_now() + p_wait + v_queue.retention_seconds * interval '1 second')
  where name = p_queue and id = p_id and state = 'active' and retry_count = p_retry_count;
  if not found then
    return false;
  end if;
  if v_queue.notify and p_wait <= interval '0' then
    perform freshet.wake_queue(p_queue);
  end if;
  return true;
end
$$;
