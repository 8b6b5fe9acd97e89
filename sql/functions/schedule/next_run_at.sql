-- When a schedule is due next, strictly after p_now: by its cron expression, or whole periods after it was due last, so that
-- it keeps its phase and downtime leaves no backlog. Without a last due time the first period begins now.
-- Called by: enqueue_due, replan_schedules, tg_schedules__plan. Locks: none. Inlined (sql/README.md).
create or replace function freshet.next_run_at(
  p_cron text,
  p_time_zone text,
  p_period_seconds integer,
  p_due_at timestamptz,
  p_now timestamptz
) returns timestamptz
language sql stable
as $$
  select case
    when p_cron is not null then freshet.cron_next(p_cron, p_now, p_time_zone)
    else coalesce(p_due_at, p_now) + pg_catalog.make_interval(secs => p_period_seconds * (
      pg_catalog.floor(coalesce(extract(epoch from p_now - p_due_at)::double precision, 0) / p_period_seconds) + 1
    ))
  end
$$;
