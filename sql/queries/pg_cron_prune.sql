-- Deletes what pg_cron noted about its calls of the clock of one database and that is older than told, at most so many rows.
delete from cron.job_run_details
where runid in (
  select runid from cron.job_run_details
  where command = 'select freshet.tick()' and database = $1
    and coalesce(end_time, start_time) <= $3::timestamptz - $2::interval
  order by runid
  limit $4
)
