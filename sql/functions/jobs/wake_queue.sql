-- Wakes the workers of a queue when the caller's transaction commits, on the channel that pg-boss listens on; its name holds
-- a hash of pg-boss's schema. A test hears pg-boss's own call there, so a release that moves it does not go unnoticed.
-- Called by: enqueue_jobs, snooze_job, where the queue wants it. Locks: none. Idempotent: workers that find nothing wait on.
create or replace function freshet.wake_queue(p_queue text) returns void
language sql volatile set search_path = ''
as $$
  select pg_notify('pgboss_' || left(encode(sha224('pgboss'), 'hex'), 24), p_queue)
$$;
