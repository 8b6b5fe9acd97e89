-- Takes the held price of an offer for true, by an operator's decision: the newest one that the last processed run of its source
-- wrote. Refused with FR052 where none is held. Answers the price's id.
-- Called by: src/domain/feeds/decide.ts, under the feed's lock. Locks: the offer, its row in current_offers.
create or replace function freshet.accept_price(p_offer_id bigint, p_now timestamptz) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_held freshet.prices;
  v_price freshet.prices;
begin
  select p.* into v_held
  from freshet.prices p
  join freshet.promotions s on s.run_id = p.run_id
  where p.offer_id = p_offer_id and p.is_held and p.run_id = (
    select max(o.run_id) from freshet.prices o where o.offer_id = p_offer_id
  ) and not exists (
    select from freshet.prices later where later.offer_id = p_offer_id and later.id > p.id and not later.is_held
  )
  order by p.id desc limit 1;
  if not found then
    raise exception 'No price of this offer is held back.' using errcode = 'FR052',
      hint = 'A price is held while the newest shown run of its feed has it; look at priceHistory(includeHeld: true).';
  end if;
  insert into freshet.prices (offer_id, created_at, line, amount, currency, promo, signature, reason)
  values (p_offer_id, p_now, v_held.line, v_held.amount, v_held.currency, v_held.promo, v_held.signature, 'ACCEPTED')
  returning * into v_price;
  update freshet.offers
  set price_id = v_price.id, priced_at = p_now, price = v_price.amount, currency = v_price.currency,
    price_signature = v_price.signature
  where id = p_offer_id;
  perform freshet.refresh_current_offers(array[p_offer_id]);
  return v_price.id;
end
$$;
