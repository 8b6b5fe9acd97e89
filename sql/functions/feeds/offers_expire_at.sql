-- When the offers that a source showed last expire, if nothing is promoted before: its expiry hours after the last promotion, and
-- as much longer as holds since then do not count; one that pends is taken to last to its end. Null where nothing was shown.
-- Called by: warn_expiring_offers, src/domain/feeds. Locks: none.
create or replace function freshet.offers_expire_at(p_source_id bigint) returns timestamptz
language sql stable set search_path = ''
as $$
  select p.at + make_interval(secs => (s.expiry_hours * 3600 + coalesce((
    select sum(extract(epoch from greatest(coalesce(h.ended_at, h.until) - greatest(h.started_at, p.at), interval '0')))
    from freshet.source_holds h where h.source_id = s.id and not h.counts
  ), 0))::double precision)
  from freshet.sources s
  cross join lateral (select at from freshet.promotions where source_id = s.id order by id desc limit 1) p
  where s.id = p_source_id
$$;
