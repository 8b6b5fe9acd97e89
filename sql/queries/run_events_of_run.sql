-- The events of a run ($1) from behind one number ($2) up to another ($3), at most $4 of them.
select e.run_id, e.position, e.number, e.attempt, e.at, e.kind, e.stage, e.code, e.message, e.counters,
  r.kind as run_kind, r.trigger, r.source_id
from freshet.run_events e join freshet.runs r on r.id = e.run_id
where e.run_id = $1 and e.number > $2 and e.number <= $3
order by e.number limit $4
