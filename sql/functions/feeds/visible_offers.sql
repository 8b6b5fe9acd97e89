-- What consumers see at p_now: promoted, of a visible source, and seen within its time (RULINGS 17, 22). The one home of that
-- rule; readers put their filters and order around it. When a run saw an offer that was not shown is none of a consumer's business.
-- Called by: src/domain/catalogue, src/domain/sources. Locks: none. Inlined (sql/README.md).
create or replace function freshet.visible_offers(p_now timestamptz)
returns table (
  offer_id bigint, source_id bigint, retailer_id bigint, version_run_id bigint, last_seen_success_at timestamptz,
  price numeric, original_price numeric, in_stock boolean, currency text, title text,
  link text, url text, image_url text, brand text, category text, upc text
)
language sql stable
as $$
  select c.offer_id, c.source_id, v.retailer_id, c.version_run_id, p.last_seen_success_at, c.price,
    c.original_price, c.in_stock, c.currency, c.title, c.link, c.url, c.image_url, c.brand, c.category, c.upc
  from freshet.current_offers c
  join freshet.visible_sources(p_now) v on v.source_id = c.source_id
  join freshet.offer_presence p on p.offer_id = c.offer_id
  where p.last_seen_success_at >= v.since
$$;
