-- So many products of another source, as if one run had shown them.
create temporary table made on commit drop as
select n, nextval('freshet.offers_id_seq') as id, sha256(n::text::bytea) as hash
from generate_series(1, current_setting('bench.count')::integer) n;

insert into freshet.offers (
  id, source_id, created_by_run_id, created_at, identity_type, identity_value, url_hash, folded_hash, version_run_id, version_hash,
  price_id, priced_at, price, currency, price_signature
)
select id, current_setting('bench.source_id')::bigint, 0, now(), 'IMPACT_ITEM_ID', lpad(n::text, 12, '0'), hash, hash, 0,
  substr(hash, 1, 16), id, now(), 10, 'USD', hash
from made;

insert into freshet.offer_presence (offer_id, last_seen_at, last_seen_success_at) select id, now(), now() from made;

insert into freshet.offer_versions (offer_id, run_id, line, in_stock, title, link, url, brand, item_id, hash)
select id, 0, n, true, 'Product ' || n, 'https://other.example/c/1/2/3?prodsku=' || n, 'https://other.example/p/' || n,
  'Brand ' || n % 400, lpad(n::text, 12, '0'), substr(hash, 1, 16)
from made;

insert into freshet.prices (offer_id, run_id, created_at, line, amount, currency, signature, reason)
select id, 0, now(), n, 10, 'USD', hash, 'NEW' from made;

insert into freshet.current_offers (
  offer_id, source_id, version_run_id, price, in_stock, currency, title, link, url, brand
)
select id, current_setting('bench.source_id')::bigint, 0, 10 + n % 90000 / 100.0, true, 'USD', 'Product ' || n,
  'https://other.example/c/1/2/3?prodsku=' || n, 'https://other.example/p/' || n, 'Brand ' || n % 400
from made;
