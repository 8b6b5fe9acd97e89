-- Offers that consumers see at $1, with what their links are made of; null asks for no filter: source $2, retailer $3, brand $4,
-- upc $5, price from $6 to $7, in stock $8. The reader (src/domain/catalogue/offers.ts) adds the place, the order and the limit.
select
  v.offer_id::text as id, v.source_id::text as "sourceId", v.retailer_id::text as "retailerId",
  v.version_run_id::text as "versionRunId", v.title, v.url, v.link, v.image_url as "imageUrl", v.brand, v.category, v.upc,
  v.price::text, v.original_price::text as "originalPrice", v.currency, v.in_stock as "inStock",
  o.created_at as "firstSeenAt", v.last_seen_success_at as "lastSeenAt",
  s.affiliate_tracking_template as template, s.affiliate_account_id as "accountId"
from freshet.visible_offers($1) v
join freshet.offers o on o.id = v.offer_id
join freshet.sources s on s.id = v.source_id
where ($2::bigint is null or v.source_id = $2)
  and ($3::bigint is null or v.retailer_id = $3)
  and ($4::text is null or lower(v.brand) = lower($4))
  and ($5::text is null or v.upc = $5)
  and ($6::numeric is null or v.price >= $6)
  and ($7::numeric is null or v.price <= $7)
  and ($8::boolean is null or v.in_stock = $8)
