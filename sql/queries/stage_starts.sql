-- When the stage began that a run was in at an event: for run $1[i], event number $2[i].
select s.at
from unnest($1::bigint[], $2::integer[]) with ordinality as asked(run_id, number, place)
left join lateral (
  select at from freshet.run_events e
  where e.run_id = asked.run_id and e.number <= asked.number and e.kind = 'STAGE'
  order by e.number desc limit 1
) s on true
order by asked.place
