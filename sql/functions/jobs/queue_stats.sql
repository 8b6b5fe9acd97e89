-- Each queue with its settings and what lies in it now; dead letter queues are counted with the queue they belong to. Waiting:
-- could start now. Delayed: is to start later. Failed: ended badly and still kept (the queue's deletion_seconds). Dead: dead
-- letters that nobody redrove or dismissed. oldest_seconds: how long the longest waiting job could have started, null if
-- none waits. completed_minute, completed_hour: jobs that ended well since then.
-- Called by: src/domain/queue/queue.ts, metrics, freshet doctor. Locks: none. Reads indexes only: job_i11 of pg-boss for what
-- waits, job_common_freshet_state_idx for the rest, so that jobs that ended long ago cost nothing.
create or replace function freshet.queue_stats(p_now timestamptz) returns table (
  name text, dead_letter text, policy text, retry_limit integer, expire_seconds integer, heartbeat_seconds integer,
  deletion_seconds integer, waiting integer, active integer, delayed integer, failed integer, dead integer,
  oldest_seconds double precision, completed_minute integer, completed_hour integer
)
language sql stable set search_path = ''
as $$
  select q.name, q.dead_letter, q.policy, q.retry_limit, q.expire_seconds, q.heartbeat_seconds, q.deletion_seconds,
    w.waiting::integer, a.active::integer, w.delayed::integer, f.failed::integer, d.dead::integer,
    extract(epoch from p_now - w.oldest)::double precision, c.minute::integer, c.hour::integer
  from pgboss.queue q
  cross join lateral (
    select count(*) filter (where j.start_after <= p_now) as waiting, count(*) filter (where j.start_after > p_now) as delayed,
      min(j.start_after) filter (where j.start_after <= p_now) as oldest
    from pgboss.job j where j.name = q.name and j.state < 'active' and not j.blocked
  ) w
  cross join lateral (select count(*) as active from pgboss.job j where j.name = q.name and j.state = 'active') a
  cross join lateral (select count(*) as failed from pgboss.job j where j.name = q.name and j.state = 'failed') f
  cross join lateral (
    select count(*) filter (where j.completed_on > p_now - interval '1 minute') as minute, count(*) as hour
    from pgboss.job j
    where j.name = q.name and j.state = 'completed' and j.completed_on > p_now - interval '1 hour' and j.completed_on <= p_now
  ) c
  cross join lateral (
    select (select count(*) from pgboss.job j where j.name = q.dead_letter and j.state < 'active' and not j.blocked)
      + (select count(*) from pgboss.job j where j.name = q.dead_letter and j.state in ('active', 'completed', 'failed')) as dead
  ) d
  where left(q.name, 2) <> '__' and not exists (select from pgboss.queue p where p.dead_letter = q.name)
  order by q.name
$$;
