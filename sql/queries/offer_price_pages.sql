-- A page of the prices of each of several offers ($1), newest first: behind a price ($2; null: from the newest), at most $3 an offer (null: all).
-- Consumers see those of runs that were shown, and those that an operator accepted; $4 adds the held ones.
select p.id::text, p.offer_id::text as "offerId", p.run_id::text as "runId", p.created_at as at, p.line, p.amount::text,
  p.currency, p.reason::text, p.is_held as "isHeld", p.promo
from unnest($1::bigint[]) o (id)
cross join lateral (
  select * from freshet.prices p
  where p.offer_id = o.id and ($2::bigint is null or p.id < $2) and case
      when p.is_held then $4
      else p.run_id is null or exists (
        select from freshet.promotions s where s.run_id = p.run_id and s.kind in ('PROMOTED', 'APPROVED')
      )
    end
  order by p.id desc limit $3
) p
order by p.offer_id, p.id desc
