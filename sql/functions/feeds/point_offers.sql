-- Points offers at the version and the public price that a run wrote for them, where it wrote one.
-- Called by: promote_run. Locks: the offers. Idempotent.
create or replace function freshet.point_offers(p_run_id bigint, p_offer_ids bigint[]) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.offers o
  set version_run_id = coalesce(v.run_id, o.version_run_id), version_hash = coalesce(v.hash, o.version_hash),
    price_id = coalesce(p.id, o.price_id), priced_at = coalesce(p.created_at, o.priced_at), price = coalesce(p.amount, o.price),
    currency = coalesce(p.currency, o.currency), price_signature = coalesce(p.signature, o.price_signature)
  from unnest(p_offer_ids) as given(offer_id)
  left join lateral (
    select run_id, hash from freshet.offer_versions v where v.offer_id = given.offer_id and v.run_id = p_run_id limit 1
  ) v on true
  left join lateral (
    select * from freshet.prices p
    where p.offer_id = given.offer_id and p.run_id = p_run_id and not p.is_held order by p.id desc limit 1
  ) p on true
  where o.id = given.offer_id and (v.run_id is not null or p.id is not null);
end
$$;
