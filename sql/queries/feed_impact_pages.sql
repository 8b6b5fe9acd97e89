-- A page of what each of several runs ($1) would change if it were shown at $2: behind an offer ($3), at most $4 a run.
select r.id as "runId", i.offer_id::text as "offerId", i.effect, i.title, i.currency, i.old_price::text as "oldPrice",
  i.new_price::text as "newPrice", i.is_held as "isHeld"
from unnest($1::bigint[]) r (id)
cross join lateral freshet.feed_impact(r.id, $2, $3, $4) i
order by r.id, i.offer_id
