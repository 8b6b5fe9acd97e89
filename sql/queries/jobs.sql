-- Jobs of the queues $1 in the states $2, newest first. null leaves a condition out: $3 only those that were repeated, or only
-- the others; $4 only those due at $5, or only those that are not; $6 one job; $7 and $8 a place to go on behind; $9 how many.
select j.name as queue, j.id::text, j.data as payload, j.state::text, j.created_on, j.start_after, j.started_on, j.completed_on,
  j.output, j.source_name, j.source_id::text, j.source_output,
  (extract(epoch from j.created_on) * 1000000)::bigint::text as place,
  -- A snooze raises count and limit alike, so what is left of the limit tells how many attempts were used.
  case when j.state = 'created' then 0 else greatest(0, q.retry_limit + 1 - (j.retry_limit - j.retry_count)) end as attempt,
  exists (select from pgboss.queue p where p.dead_letter = j.name) as is_letter
from pgboss.job j join pgboss.queue q on q.name = j.name
where j.name = any($1::text[]) and j.state = any($2::pgboss.job_state[])
  and ($3::boolean is null or coalesce(j.output ? 'repeatedAs', false) = $3)
  and ($4::boolean is null or (j.start_after <= $5::timestamptz) = $4)
  and ($6::uuid is null or j.id = $6)
  and ($7::bigint is null or (j.created_on, j.id) < (timestamptz 'epoch' + $7 * interval '1 microsecond', $8::uuid))
order by j.created_on desc, j.id desc
limit $9::integer
