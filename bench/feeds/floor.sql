-- The floor: what a first load must leave in the tables, written from a table that holds it ready. Nothing is looked up or judged.
with numbered as materialized (
  select nextval('freshet.offers_id_seq') as offer_id, s.* from bench_staging s
), offers as (
  insert into freshet.offers (
    id, source_id, created_by_run_id, created_at, identity_type, identity_value, url_hash, folded_hash
  )
  select offer_id, $1, $2, $3, identity_type, identity_value, url_hash, folded_hash from numbered
), presence as (
  insert into freshet.offer_presence (offer_id, last_seen_at) select offer_id, $3 from numbered
), versions as (
  insert into freshet.offer_versions (
    offer_id, run_id, line, original_price, in_stock, title, link, url, image_url, brand, category, upc, item_id, sku, hash
  )
  select offer_id, $2, line, original_price, in_stock, title, link, url, image_url, brand, category, upc, item_id, sku,
    version_hash
  from numbered
)
insert into freshet.prices (offer_id, run_id, created_at, line, amount, currency, promo, signature, reason)
select offer_id, $2, $3, line, amount, currency, promo, signature, 'NEW' from numbered
