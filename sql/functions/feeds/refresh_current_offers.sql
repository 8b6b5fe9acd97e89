-- Brings the read side up to date for these offers: what their promoted version and price say. One that has no public price yet
-- (its first is held) is not shown.
-- Called by: promote_run, accept_price. Locks: the rows that change. Idempotent.
create or replace function freshet.refresh_current_offers(p_offer_ids bigint[]) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  insert into freshet.current_offers as c (
    offer_id, source_id, version_run_id, price, original_price, in_stock, currency, title, link, url, image_url, brand, category, upc
  )
  select o.id, o.source_id, v.run_id, o.price, v.original_price, v.in_stock, o.currency, v.title, v.link, v.url, v.image_url,
    v.brand, v.category, v.upc
  from freshet.offers o
  cross join lateral (
    select * from freshet.offer_versions v where v.offer_id = o.id and v.run_id = o.version_run_id limit 1
  ) v
  where o.id = any (p_offer_ids) and o.price is not null
  order by o.id
  on conflict (offer_id) do update
  set version_run_id = excluded.version_run_id, price = excluded.price, original_price = excluded.original_price,
    in_stock = excluded.in_stock, currency = excluded.currency, title = excluded.title, link = excluded.link, url = excluded.url,
    image_url = excluded.image_url, brand = excluded.brand, category = excluded.category, upc = excluded.upc
  where (
    c.version_run_id, c.price, c.original_price, c.in_stock, c.currency, c.title, c.link, c.url, c.image_url, c.brand, c.category, c.upc
  ) is distinct from (
    excluded.version_run_id, excluded.price, excluded.original_price, excluded.in_stock, excluded.currency, excluded.title,
    excluded.link, excluded.url, excluded.image_url, excluded.brand, excluded.category, excluded.upc
  );
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
