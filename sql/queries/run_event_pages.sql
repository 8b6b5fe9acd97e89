-- A page of events for each of several runs ($1): those behind a number ($2), at most $3 a run.
select e.run_id, e.position, e.number, e.attempt, e.at, e.kind, e.stage, e.code, e.message, e.counters,
  r.kind as run_kind, r.trigger, r.source_id
from freshet.runs r
cross join lateral (
  select * from freshet.run_events e where e.run_id = r.id and e.number > $2 order by e.number limit $3
) e
where r.id = any ($1)
order by e.run_id, e.number
