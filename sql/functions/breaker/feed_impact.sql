-- What a run would change for consumers if it were shown at p_now: offers that would expire, appear, or change their price, by
-- offer id after p_after. Of a run that is shown already: what is left to change.
-- Called by: src/domain/feeds. Locks: none.
create or replace function freshet.feed_impact(p_run_id bigint, p_now timestamptz, p_after bigint, p_limit integer)
returns table (
  offer_id bigint, effect text, title text, currency text, old_price numeric, new_price numeric, is_held boolean
)
language sql stable set search_path = ''
as $$
  with run as (
    select id, source_id, freshet.active_since(source_id, p_now) as since from freshet.runs where id = p_run_id
  ), seen as materialized (
    select unnest(c.seen) as offer_id from freshet.feed_run_chunks c where c.run_id = p_run_id
  ), active as materialized (
    select c.offer_id, c.title, c.currency, c.price
    from run join freshet.current_offers c on c.source_id = run.source_id
    join freshet.offer_presence p on p.offer_id = c.offer_id and p.last_seen_success_at >= run.since
  ), effects as (
    select a.offer_id, 'EXPIRE' as effect, a.title, a.currency, a.price as old_price, null::numeric as new_price, false as is_held
    from active a where not exists (select from seen s where s.offer_id = a.offer_id)
    union all
    select s.offer_id, 'APPEAR', v.title, n.currency, null, n.amount, false
    from seen s
    join freshet.offers o on o.id = s.offer_id
    left join lateral (
      select * from freshet.prices p
      where p.offer_id = s.offer_id and p.run_id = p_run_id order by p.id desc limit 1
    ) written on true
    cross join lateral (select coalesce(written.amount, o.price) as amount, coalesce(written.currency, o.currency) as currency) n
    left join lateral (
      select v.title from freshet.offer_versions v
      where v.offer_id = s.offer_id and v.run_id in (p_run_id, o.version_run_id) order by v.run_id = p_run_id desc limit 1
    ) v on true
    where not exists (select from active a where a.offer_id = s.offer_id)
    union all
    select a.offer_id, 'PRICE', a.title, w.currency, a.price, w.amount, w.is_held
    from active a join seen s using (offer_id)
    cross join lateral (
      select * from freshet.prices p
      where p.offer_id = a.offer_id and p.run_id = p_run_id order by p.id desc limit 1
    ) w
    where (w.amount, w.currency) is distinct from (a.price, a.currency)
  )
  select * from effects e where e.offer_id > p_after order by e.offer_id limit p_limit
$$;
