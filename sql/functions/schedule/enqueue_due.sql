-- Enqueues one job for every enabled schedule that is due and moves its next time into the future. A fixed period keeps its
-- phase: the due time plus whole periods. However long nothing ran, each is enqueued once. Schedules that came with a
-- migration, where no trigger planned them, get their first time. With p_schedule_id only that one is looked at.
-- Answers how many were due.
-- Called by: tick, enqueue_due_singly. Locks: the schedules that are due; those that others hold wait for the next beat.
-- Idempotent: what was enqueued is no longer due.
create or replace function freshet.enqueue_due(p_now timestamptz, p_schedule_id bigint default null) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  update freshet.schedules
  set next_run_at = freshet.next_run_at(cron, time_zone, period_seconds, null, p_now)
  where id in (
    select id from freshet.schedules
    where is_enabled and next_run_at is null and id = coalesce(p_schedule_id, id)
    for no key update skip locked
  );

  with due as materialized (
    -- Not "for update": that would wait for every run that is just being recorded for its schedule.
    select id, next_run_at as due_at, cron, time_zone from freshet.schedules
    where is_enabled and next_run_at <= p_now and id = coalesce(p_schedule_id, id)
    for no key update skip locked
  ), times as materialized (
    -- All look ahead from the same moment, so equal expressions have one answer.
    select cron, time_zone, freshet.next_run_at(cron, time_zone, null, null, p_now) as next_run_at
    from (select distinct cron, time_zone from due where cron is not null) as expressions
  ), moved as (
    update freshet.schedules s
    set last_run_at = p_now, next_run_at = case when s.cron is not null then t.next_run_at
      else freshet.next_run_at(null, s.time_zone, s.period_seconds, d.due_at, p_now) end
    from due d left join times t using (cron, time_zone)
    where s.id = d.id
    returning s.queue, 'schedule:' || s.id as singleton_key, freshet.schedule_payload(s.payload, s.id, d.due_at, 'SCHEDULED') as payload
  ), jobs as (
    select queue, array_agg(payload) as payloads, array_agg(singleton_key) as keys from moved group by queue
  )
  select sum(cardinality(freshet.enqueue_jobs(queue, payloads, p_singleton_keys => keys))) into v_count from jobs;
  return coalesce(v_count, 0);
end
$$;
