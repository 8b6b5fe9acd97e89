-- Takes the held price of an offer for true, by an operator's decision: one that is newer than every price that is shown.
-- Refused with FR052 where none is held. Answers the price's id.
-- Called by: src/domain/feeds/decide.ts, under the feed's lock. Locks: the offer, its row in current_offers.
create or replace function freshet.accept_price(p_offer_id bigint, p_now timestamptz) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_held freshet.prices;
  v_price freshet.prices;
begin
  perform from freshet.offers where id = p_offer_id for no key update;
  -- The newest row of all that was shown. What runs wrote that ended otherwise says nothing; while one waits for a decision,
  -- that decides.
  select p.* into v_held
  from freshet.prices p
  left join freshet.feed_runs f on f.run_id = p.run_id
  where p.offer_id = p_offer_id and (
    p.run_id is null or exists (select from freshet.promotions s where s.run_id = p.run_id)
    or f.is_blocked and num_nonnulls(f.approved_at, f.rejected_at) = 0 and not freshet.is_stale_run(p.run_id)
  )
  order by p.id desc limit 1;
  if v_held.is_held is not true or not exists (select from freshet.promotions s where s.run_id = v_held.run_id) then
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
