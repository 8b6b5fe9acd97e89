-- Makes the run's own staging tables on its connection; they die with it. Rows of a chunk go at its commit.
-- Called by: src/domain/feeds/ingest. Locks: none. Idempotent.
create or replace function freshet.open_feed_staging() returns void
language plpgsql volatile set search_path = ''
as $$
begin
  set local client_min_messages = warning;
  create temporary table if not exists feed_keys (
    n integer, identity_type freshet.identity_type, identity_value text, url_hash bytea, folded_hash bytea, version_hash bytea,
    signature bytea
  ) on commit delete rows;
  create temporary table if not exists feed_rows (
    n integer, line integer, amount numeric, original_price numeric, in_stock boolean, currency text, title text, link text,
    url text, image_url text, brand text, category text, upc text, item_id text, sku text, promo jsonb
  ) on commit delete rows;
  create temporary table if not exists feed_known (
    n integer, offer_id bigint, is_new boolean, is_changed boolean, price_reason freshet.price_reason, price numeric,
    currency text
  ) on commit delete rows;
  create temporary table if not exists feed_seen (offer_id bigint primary key);
  create temporary table if not exists feed_parents (sku text primary key);
  delete from pg_temp.feed_parents;
  delete from pg_temp.feed_seen; -- a connection works on one run, as a rule, and then there is nothing
end
$$;
