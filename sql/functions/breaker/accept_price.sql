-- Takes the held price of an offer for true, by an operator's decision: one that the newest shown run that saw the offer has.
-- Refused with FR052 where none is held, and where a run that saw the offer later waits for a decision: that one decides about
-- its price, and what it saw was compared with what is shown now.
-- Called by: src/domain/feeds/decide.ts, under the feed's lock. Locks: the offer, its row in current_offers.
create or replace function freshet.accept_price(p_offer_id bigint, p_now timestamptz) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_source_id bigint;
  v_held freshet.prices;
  v_price freshet.prices;
begin
  select source_id into v_source_id from freshet.offers where id = p_offer_id for no key update;
  -- The newest row of all that was shown. What runs wrote that ended otherwise says nothing.
  select p.* into v_held
  from freshet.prices p
  where p.offer_id = p_offer_id and (
    p.run_id is null or exists (select from freshet.promotions s where s.run_id = p.run_id)
  )
  order by p.id desc limit 1;
  -- A later shown run that saw the old price again wrote nothing, but it was the last that showed the offer.
  if v_held.is_held is not true or not exists (
    select from freshet.promotions s join freshet.offer_presence o on o.last_seen_success_at = s.at
    where s.set_run_id = v_held.run_id and o.offer_id = p_offer_id
  ) or exists (
    select from freshet.feeds f
    join freshet.feed_run_chunks c on c.run_id = freshet.waiting_run(f.id) and p_offer_id = any (c.seen)
    where f.source_id = v_source_id and not exists (select from freshet.promotions s where s.run_id = c.run_id)
  ) then
    raise exception 'No price of this offer is held back.' using errcode = 'FR052',
      hint = 'A price is held while the newest run of its feed that saw the offer is shown and has it; look at priceHistory(includeHeld: true).';
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
