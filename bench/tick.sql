-- The floor of `bench tick`: the bare statement that claims what is due, moves it by its period and inserts the jobs.
with due as (
  select id, next_run_at as due_at from freshet.schedules where is_enabled and next_run_at <= $1 for update skip locked
), moved as (
  update freshet.schedules s
  set last_run_at = $1,
    next_run_at = date_bin(make_interval(secs => s.period_seconds), $1, d.due_at) + make_interval(secs => s.period_seconds)
  from due d where s.id = d.id
  returning s.id, s.payload, d.due_at
)
insert into pgboss.job (
  name, data, singleton_key, start_after, keep_until, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds,
  deletion_seconds, policy, dead_letter, heartbeat_seconds
)
select q.name, m.payload || jsonb_build_object('scheduleId', m.id::text, 'dueAt', m.due_at), 'schedule:' || m.id, $1,
  $1::timestamptz + q.retention_seconds * interval '1 second', q.retry_limit, q.retry_delay, q.retry_backoff, q.retry_delay_max,
  q.expire_seconds, q.deletion_seconds, q.policy, q.dead_letter, q.heartbeat_seconds
from moved m, pgboss.queue q where q.name = 'bench'
