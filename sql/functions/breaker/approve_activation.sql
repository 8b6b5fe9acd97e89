-- Shows what a blocked run saw, by an operator's decision and as of that moment (S2 §8.7): nothing is judged again. Prices that were
-- held in it are accepted with it (RULINGS 19). Refused with FR051. Answers how many offers were promoted.
-- Called by: src/domain/feeds/decide.ts, under the feed's lock. Locks: the run's row in feed_runs, the offers.
create or replace function freshet.approve_activation(p_run_id bigint, p_by text, p_expected integer, p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_row freshet.feed_runs;
  v_count integer;
  v_would_expire integer;
begin
  perform from freshet.feed_runs where run_id = p_run_id for no key update;
  perform freshet.refuse_decision(freshet.decision_refusal(p_run_id, p_expected, p_now));
  v_would_expire := freshet.would_expire(p_run_id, p_now);
  insert into freshet.prices (offer_id, run_id, created_at, line, amount, currency, promo, signature, reason)
  select p.offer_id, p.run_id, p_now, p.line, p.amount, p.currency, p.promo, p.signature, 'ACCEPTED'
  from freshet.feed_run_chunks c
  cross join lateral unnest(c.written) as w(offer_id)
  join freshet.prices p on p.offer_id = w.offer_id and p.run_id = p_run_id and p.is_held
  where c.run_id = p_run_id
  on conflict (offer_id, run_id, signature) where run_id is not null and not is_held do nothing;
  v_count := freshet.promote_run(
    p_run_id => p_run_id, p_set_run_id => p_run_id, p_kind => 'APPROVED', p_at => p_now, p_seen_at => null, p_ends_hold => true
  );
  update freshet.feed_runs set approved_at = p_now, approved_by = p_by, products_expired = v_would_expire
  where run_id = p_run_id returning * into v_row;
  perform freshet.resolve_alert('feed-blocked:' || v_row.feed_id, p_now);
  return v_count;
end
$$;
