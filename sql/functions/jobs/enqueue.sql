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
    p_queue => p_queue, p_payloads => array[p_payload], p_start_after => array[p_start_after],
    p_singleton_keys => array[p_singleton_key], p_group_ids => array[p_group_id], p_priority => p_priority
  ))[1]
$$;
