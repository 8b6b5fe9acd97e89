-- Writes the prices of the staged chunk. One that lies more than ten times over or under what is promoted, in the same
-- currency, is held: not public until the next processed run repeats it (RULINGS 19).
-- Called by: ingest_feed_chunk. Locks: none. Answers how many rows were written.
create or replace function freshet.write_feed_prices(p_run_id bigint, p_attempt integer, p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_last_run_id bigint := freshet.last_processed_run(p_run_id);
  v_count integer;
  v_held jsonb;
begin
  with given as (
    select w.offer_id, w.price, w.price_reason, r.line, r.amount, r.currency, r.promo, k.signature, (
      w.currency = r.currency and (r.amount > w.price * 10 or r.amount * 10 < w.price)
    ) is true as is_far
    from pg_temp.feed_known w join pg_temp.feed_rows r using (n) join pg_temp.feed_keys k using (n)
    where w.price_reason is not null
  ), judged as (
    select g.*, g.is_far and not exists (
      select from freshet.prices p
      where p.offer_id = g.offer_id and p.run_id = v_last_run_id and p.is_held and p.signature = g.signature
    ) as is_held
    from given g
  ), written as (
    insert into freshet.prices (offer_id, run_id, created_at, line, amount, currency, promo, signature, reason, is_held)
    select offer_id, p_run_id, p_now, line, amount, currency, promo, signature, price_reason, is_held
    from judged order by offer_id
    on conflict (offer_id, run_id, signature) where run_id is not null and not is_held do nothing
    returning 1
  )
  select (select count(*) from written), (
    select jsonb_agg(jsonb_build_object(
      'code', 'IMPLAUSIBLE_PRICE', 'line', line, 'item', offer_id::text,
      'message', format('The price went from %s to %s %s; it is held back until the next run repeats it.', price, amount, currency),
      'details', jsonb_build_object('offerId', offer_id::text, 'old', price::text, 'new', amount::text, 'currency', currency)
    )) from judged where is_held
  ) into v_count, v_held;
  if v_held is not null then
    perform freshet.sample_run_errors(
      p_run_id => p_run_id, p_attempt => p_attempt, p_samples => v_held,
      p_totals => jsonb_build_object('IMPLAUSIBLE_PRICE', jsonb_array_length(v_held)), p_error_count => 0, p_now => p_now
    );
  end if;
  return v_count;
end
$$;
