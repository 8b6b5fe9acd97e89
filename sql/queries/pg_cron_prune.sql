-- Deletes what pg_cron noted about its calls of the clock of one database and that is older than a week.
delete from cron.job_run_details
where runid in (
  select runid from cron.job_run_details
  where command = 'select freshet.tick()' and database = $1 and coalesce(end_time, start_time) <= now() - interval '7 days'
  order by runid
  limit 5000
)
