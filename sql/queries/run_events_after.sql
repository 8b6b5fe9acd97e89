-- The events behind a position ($1) in the order of the stream, at most $2 of them, and what the stream keeps. One row without an
-- event says that there is none.
select s.pruned_position, s.last_position, e.*
from freshet.event_stream s
left join lateral (
  select e.run_id, e.position, e.number, e.attempt, e.at, e.kind, e.stage, e.code, e.message, e.counters,
    r.kind as run_kind, r.trigger, r.source_id
  from freshet.run_events e join freshet.runs r on r.id = e.run_id
  where e.position > $1
  order by e.position limit $2
) e on true
order by e.position
