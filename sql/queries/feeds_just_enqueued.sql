-- The feeds that the last beat of the clock enqueued, and when they are due next: for the log of who drives it.
select s.subject_id::text as "feedId", s.next_run_at as "nextRunAt"
from freshet.clock c join freshet.schedules s on s.last_run_at = c.last_tick_at
where s.kind = 'feed' and c.driver = $1
order by s.subject_id
