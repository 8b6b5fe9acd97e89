-- How the runs $1 ended, for the log.
select id::text as "runId", attempt as "runAttempt", job_id as "jobId", source_id::text as "sourceId", status, error_code as code,
  error_message as error, stage, (extract(epoch from finished_at - started_at) * 1000)::double precision as "durationMs", counters
from freshet.runs where id = any ($1::bigint[]) and status <> 'RUNNING' order by id
