-- Creates a queue, or brings the settings of one that exists up to date: pg-boss's own create_queue leaves those alone. Jobs
-- that wait already keep the settings they were enqueued with. Answers whether anything changed.
-- Called by: prepareQueues (src/jobs/kit/prepare.ts), by every process that starts. Locks: the queue's row. Idempotent.
create or replace function freshet.prepare_queue(p_name text, p_options jsonb) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_is_new boolean := not exists (select from pgboss.queue where name = p_name);
begin
  if v_is_new then
    perform pgboss.create_queue(p_name, p_options);
  end if;
  update pgboss.queue q
  set policy = o.policy, retry_limit = o."retryLimit", retry_delay = o."retryDelay", retry_backoff = o."retryBackoff",
    expire_seconds = o."expireInSeconds", heartbeat_seconds = o."heartbeatSeconds", retention_seconds = o."retentionSeconds",
    deletion_seconds = o."deleteAfterSeconds", dead_letter = o."deadLetter", notify = o.notify, updated_on = pgboss.job_now()
  from jsonb_to_record(p_options) as o(
    policy text, "retryLimit" integer, "retryDelay" integer, "retryBackoff" boolean, "expireInSeconds" integer,
    "heartbeatSeconds" integer, "retentionSeconds" integer, "deleteAfterSeconds" integer, "deadLetter" text, notify boolean
  )
  where q.name = p_name and (
    q.policy, q.retry_limit, q.retry_delay, q.retry_backoff, q.expire_seconds, q.heartbeat_seconds, q.retention_seconds,
    q.deletion_seconds, q.dead_letter, q.notify
  ) is distinct from (
    o.policy, o."retryLimit", o."retryDelay", o."retryBackoff", o."expireInSeconds", o."heartbeatSeconds", o."retentionSeconds",
    o."deleteAfterSeconds", o."deadLetter", o.notify
  );
  return v_is_new or found;
end
$$;
