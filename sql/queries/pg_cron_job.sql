-- The job of pg_cron that calls the clock of one database, and how its last run ended.
select j.active as "isActive", j.schedule, j.command, j.database, r.status, r.return_message as "message"
from cron.job j
left join lateral (
  select status, return_message from cron.job_run_details d where d.jobid = j.jobid order by d.runid desc limit 1
) r on true
where j.jobname = $1
order by j.active desc, j.jobid desc
limit 1
