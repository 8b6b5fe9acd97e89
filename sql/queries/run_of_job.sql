-- The run of the job $1, with what its lines of the log carry and where its lock is.
select id::text as "runId", attempt, source_id::text as "sourceId", status, lock_class as "lockClass", lock_id as "lockId"
from freshet.runs where job_id = $1
