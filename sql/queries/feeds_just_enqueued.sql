-- The feeds that the last beat of the clock enqueued, and when they are due next: for the log of who drives it.
select f.id::text as "feedId", o.affiliate_network as network, s.next_run_at as "nextRunAt"
from freshet.clock c
join freshet.schedules s on s.last_run_at = c.last_tick_at
join freshet.feeds f on f.id = s.subject_id
join freshet.sources o on o.id = f.source_id
where s.kind = 'feed' and c.driver = $1
order by f.id
