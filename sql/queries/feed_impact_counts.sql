-- How much each of several runs ($1) would change if it were shown at $2: offers that would expire, appear, change their price.
select r.id as "runId", i.effect, count(*)::int as n
from unnest($1::bigint[]) r (id)
cross join lateral freshet.feed_impact(r.id, $2, 0, null) i
group by r.id, i.effect
