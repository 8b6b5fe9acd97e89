-- Puts one job into a queue in the caller's transaction; null if the queue's policy found it to be there already.
-- Called by: SQL functions, and the domain through src/domain/queue/enqueue.ts. See enqueue_jobs.
create or replace function freshet.enqueue(
  p_queue text,
  p_payload jsonb,
  p_start_after timestamptz default null,
  p_singleton_key text default null,
  p_group_id text default null,
  p_priority integer default 0
) returns uuid
language sql volatile set search_path = ''
as $$
  select (freshet.enqueue_jobs(
    p_queue, array[p_payload], array[p_start_after], array[p_singleton_key], array[p_group_id], p_priority
  ))[1]
$$;
