-- What the merge of the staged chunk made of at most $2 of its rows, those with something to write first: for the log of run $1. Only
-- inside the chunk's transaction.
select
  w.n, w.offer_id::text as "sourceProductId", w.is_new as "isNew", w.is_changed as "isChanged",
  w.price_reason::text as "priceReason", o.priced_at as "lastPriceAt", p.id::text as "priceId",
  array(
    select said.key
    from jsonb_each(to_jsonb(v)) said join jsonb_each(to_jsonb(shown)) before using (key)
    where said.value <> before.value and said.key not in ('run_id', 'line', 'hash')
    order by said.key
  ) as "fieldsChanged"
from pg_temp.feed_known w
left join freshet.offers o on o.id = w.offer_id
left join freshet.offer_versions v on v.offer_id = w.offer_id and v.run_id = $1
left join freshet.offer_versions shown on shown.offer_id = w.offer_id and shown.run_id = o.version_run_id
left join lateral (
  select id from freshet.prices where offer_id = w.offer_id and run_id = $1 order by id desc limit 1
) p on w.price_reason is not null
order by (w.is_new or w.is_changed or w.price_reason is not null) desc, w.n
limit $2
