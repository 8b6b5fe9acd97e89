-- What the database knows for the metrics at the moment $1: which number, of what, and how much.
with queues as (select * from freshet.queue_stats($1))
select 'queue_jobs' as metric, q.name as first, s.state as second, s.jobs::double precision as value
from queues q
cross join lateral (values ('waiting', waiting), ('delayed', delayed), ('active', active), ('failed', failed), ('dead', dead)) s(state, jobs)
union all
select 'queue_oldest_job_age_seconds', name, 'waiting', coalesce(oldest_seconds, 0) from queues
union all
select 'queue_oldest_job_age_seconds', q.name, 'active', coalesce(greatest(extract(epoch from $1 - a.since)::double precision, 0), 0)
from queues q
cross join lateral (select min(j.started_on) as since from pgboss.job j where j.name = q.name and j.state = 'active') a
union all
select 'runs', k.kind::text, s.status::text, coalesce(r.runs, 0)
from unnest(enum_range(null::freshet.run_kind)) k(kind)
cross join unnest(enum_range(null::freshet.run_status)) s(status)
left join (
  select kind, status, count(*) as runs from freshet.runs
  where status = 'RUNNING' or finished_at > $1 - interval '24 hours'
  group by kind, status
) r using (kind, status)
union all
select 'open_alerts', s.severity::text, null, count(a.id)
from unnest(enum_range(null::freshet.alert_severity)) s(severity)
left join freshet.alerts a on a.severity = s.severity and a.resolved_at is null
group by s.severity
