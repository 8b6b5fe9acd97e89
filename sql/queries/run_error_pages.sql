-- A page of sampled errors for each of several runs ($1): those behind an id ($2), at most $3 a run, of one code ($4) or of all.
select e.id, e.run_id as "runId", e.at, e.line, e.code, e.message, e.item, e.details
from unnest($1::bigint[]) r (id)
cross join lateral (
  select * from freshet.run_errors e
  where e.run_id = r.id and e.id > $2 and ($4::text is null or e.code = $4)
  order by e.id limit $3
) e
order by e.run_id, e.id
