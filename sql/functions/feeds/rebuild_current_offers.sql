-- Derives the read side of a source, or of all, from history alone: versions, prices and promotions. Puts right what differs and
-- answers how many rows that were: none, unless something is broken. Rows that expired long ago and were shelved stay away.
-- Called by: src/domain/catalogue. Locks: current_offers against writers. Idempotent.
create or replace function freshet.rebuild_current_offers(p_now timestamptz, p_source_id bigint default null) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  lock table freshet.current_offers in share row exclusive mode;
  with shown as materialized (
    select run_id, max(id) as place from freshet.promotions
    where kind in ('PROMOTED', 'APPROVED') and (p_source_id is null or source_id = p_source_id) group by run_id
  ), versions as (
    select distinct on (v.offer_id) v.*
    from freshet.offer_versions v join shown s using (run_id) order by v.offer_id, s.place desc
  ), prices as (
    select distinct on (p.offer_id) p.*
    from freshet.prices p left join shown s using (run_id)
    where not p.is_held and (p.run_id is null or s.place is not null)
    -- By id, and no clock: under the feed's lock prices are shown in the order in which they were written, also one that an
    -- operator accepted, which belongs to no run: while a run with a price of the offer waits for a decision, none is accepted.
    order by p.offer_id, p.id desc
  ), derived as materialized (
    select v.offer_id, o.source_id, v.run_id as version_run_id, p.amount as price, v.original_price, v.in_stock, p.currency,
      v.title, v.link, v.url, v.image_url, v.brand, v.category, v.upc
    from versions v join prices p using (offer_id) join freshet.offers o on o.id = v.offer_id
    where p_source_id is null or o.source_id = p_source_id
  ), wrong as (
    select d.* from derived d join freshet.current_offers c using (offer_id) where d is distinct from c
    union all
    select d.* from derived d join freshet.offer_presence p using (offer_id)
    where not exists (select from freshet.current_offers c where c.offer_id = d.offer_id)
      and p.last_seen_success_at >= freshet.active_since(d.source_id, p_now) - interval '14 days'
  ), stray as (
    delete from freshet.current_offers c
    where (p_source_id is null or c.source_id = p_source_id)
      and not exists (select from derived d where d.offer_id = c.offer_id)
    returning 1
  ), mended as (
    insert into freshet.current_offers select * from wrong
    on conflict (offer_id) do update
    set version_run_id = excluded.version_run_id, price = excluded.price, original_price = excluded.original_price,
      in_stock = excluded.in_stock, currency = excluded.currency, title = excluded.title, link = excluded.link,
      url = excluded.url, image_url = excluded.image_url, brand = excluded.brand, category = excluded.category, upc = excluded.upc
    returning 1
  )
  select (select count(*) from stray) + (select count(*) from mended) into v_count;
  return v_count;
end
$$;
