-- How the prices of what is visible and was seen again moved in a run (DESIGN 9.22, RULINGS 19): how many were compared, how many
-- moved by more than a factor of two either way or changed their currency, and the median factor of those that moved.
-- Called by: evaluate_feed_run. Locks: none.
create or replace function freshet.price_moves(p_run_id bigint, p_since timestamptz, out compared integer, out moved integer, out factor numeric)
language sql stable set search_path = ''
as $$
  with seen as (
    select count(*) as total
    from freshet.feed_run_chunks c
    cross join lateral (
      select p.offer_id from freshet.offer_presence p
      where p.offer_id = any (c.seen) and p.last_seen_success_at >= p_since
    ) active
    where c.run_id = p_run_id
  ), changed as (
    select p.amount / o.price as factor, p.currency <> o.currency as is_other
    -- A product of two chunks was written by both.
    from (
      select distinct unnest(c.written) as offer_id from freshet.feed_run_chunks c where c.run_id = p_run_id
    ) w
    cross join lateral (
      select * from freshet.prices p where p.offer_id = w.offer_id and p.run_id = p_run_id order by p.id desc limit 1
    ) p
    cross join lateral (select * from freshet.offers o where o.id = w.offer_id and o.price is not null limit 1) o
    cross join lateral (
      select from freshet.offer_presence s where s.offer_id = w.offer_id and s.last_seen_success_at >= p_since
    ) s
    where p.reason = 'CHANGED'
  ), far as (
    select factor, is_other from changed where is_other or factor > 2 or factor < 0.5
  )
  select (select total from seen)::integer, count(*)::integer,
    round((percentile_cont(0.5) within group (order by factor) filter (where not is_other))::numeric, 4)
  from far
$$;
