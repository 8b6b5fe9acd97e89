-- Shows what a run that was held back whole saw, and accepts the prices that were held in it (RULINGS 19). Answers how many offers
-- were promoted.
-- Called by: approve_activation. Locks: the offers.
create or replace function freshet.show_blocked_run(p_run_id bigint, p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
begin
  insert into freshet.prices (offer_id, run_id, created_at, line, amount, currency, promo, signature, reason)
  select p.offer_id, p.run_id, p_now, p.line, p.amount, p.currency, p.promo, p.signature, 'ACCEPTED'
  from freshet.feed_run_chunks c
  cross join lateral unnest(c.written) as w(offer_id)
  join freshet.prices p on p.offer_id = w.offer_id and p.run_id = p_run_id and p.is_held
  where c.run_id = p_run_id
  on conflict (offer_id, run_id, signature) where run_id is not null and not is_held do nothing;
  return freshet.promote_run(
    p_run_id => p_run_id, p_set_run_id => p_run_id, p_kind => 'APPROVED', p_at => p_now, p_seen_at => null, p_ends_hold => true
  );
end
$$;
