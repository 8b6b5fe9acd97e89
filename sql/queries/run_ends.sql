-- How the runs $1 ended, for the log; of a feed's run also whether somebody asked for another one meanwhile, and whether its failure
-- disabled the feed.
select r.id::text as "runId", r.attempt as "runAttempt", r.job_id as "jobId", r.source_id::text as "sourceId", r.status,
  r.error_code as code, r.error_message as error, r.stage, r.counters,
  (extract(epoch from r.finished_at - r.started_at) * 1000)::double precision as "durationMs",
  case when f.id is not null then jsonb_build_object(
    'feedId', f.id::text, 'pending', q.manual > q.covered, 'enqueuingFollowUp', q.manual > q.covered and f.status = 'ENABLED',
    'consecutiveFailures', f.consecutive_failures, 'isDisabled', r.is_counted and f.status = 'DISABLED'
  ) end as feed
from freshet.runs r
left join freshet.feeds f on r.lock_class = 4620 and f.id = r.lock_id
left join freshet.feed_requests q on q.feed_id = f.id
where r.id = any ($1::bigint[]) and r.status <> 'RUNNING' order by r.id
