-- How far the request $2 for a run of the feed $1 has come: the run that covers it (RULINGS 16), a run at work that began before it,
-- and whether a job of the feed waits or works.
select f.status, covering.run_id::text as "runId", at_work.id::text as "runBefore", exists (
    select from pgboss.job where name = 'feed-ingest' and state < 'completed' and data ->> 'feedId' = f.id::text
  ) as "isQueued"
from freshet.feeds f
left join lateral (
  select run_id from freshet.feed_runs where feed_id = f.id and request >= $2 order by run_id limit 1
) covering on true
left join lateral (
  select r.id from freshet.feed_runs fr join freshet.runs r on r.id = fr.run_id
  where fr.feed_id = f.id and r.trigger <> 'ADMIN_TEST' and r.status = 'RUNNING' order by fr.place desc limit 1
) at_work on true
where f.id = $1
