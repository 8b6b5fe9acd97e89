-- When each of several feeds ($1) runs, when its offers expire if nothing more is shown, and which run was its last, tests aside.
select
  f.id::text, s.cron, s.time_zone as "timeZone", s.period_seconds as "periodSeconds", s.next_run_at as "nextRunAt",
  freshet.offers_expire_at(f.source_id) as "offersExpireAt", last.run_id::text as "lastRunId"
from freshet.feeds f
left join freshet.schedules s on s.kind = 'feed' and s.subject_id = f.id
left join lateral (
  select r.run_id from freshet.feed_runs r where r.feed_id = f.id
    and exists (select from freshet.runs where id = r.run_id and trigger <> 'ADMIN_TEST')
  order by r.run_id desc limit 1
) last on true
where f.id = any ($1::bigint[])
