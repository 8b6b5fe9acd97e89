-- When the offers that a source showed last expire, if nothing is promoted before: its expiry hours after the last promotion, and
-- as much longer as holds since then do not count; one that pends is taken to last to its end. Null where nothing was shown.
-- Called by: warn_expiring_offers, src/domain/feeds. Locks: none.
create or replace function freshet.offers_expire_at(p_source_id bigint) returns timestamptz
language sql stable set search_path = ''
as $$
  with shown as (
    select p.at, s.expiry_hours * 3600 as life
    from freshet.sources s
    cross join lateral (select at from freshet.promotions where source_id = s.id order by id desc limit 1) p
    where s.id = p_source_id
  ), held as (
    select extract(epoch from greatest(h.started_at, shown.at) - shown.at) as after,
      extract(epoch from coalesce(h.ended_at, h.until) - greatest(h.started_at, shown.at)) as length
    from shown join freshet.source_holds h on h.source_id = p_source_id and not h.counts and coalesce(h.ended_at, h.until) > shown.at
  ), added as (
    select after, length, coalesce(sum(length) over (
      order by after rows between unbounded preceding and 1 preceding
    ), 0) as earlier
    from held
  )
  -- A hold that began when they had expired already brings nothing back.
  select shown.at + make_interval(secs => (
    shown.life + coalesce((select sum(a.length) from added a where a.after - a.earlier <= shown.life), 0)
  )::double precision)
  from shown
$$;
