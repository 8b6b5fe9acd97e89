-- The oldest last_seen_success_at that is still active for a source at p_now (RULINGS 13): its expiry hours back, and further by
-- held time that does not count. Visibility, the breaker, impact and alerts all ask this one rule. In seconds, so that no day of
-- the session's time zone has 23 hours.
-- Called by: visible_sources, evaluate_feed_run, promote_run, rebuild_current_offers, would_expire, feed_impact,
-- shelve_expired_offers, warn_expiring_offers, src/domain/sources, src/domain/catalogue. Locks: none.
create or replace function freshet.active_since(p_source_id bigint, p_now timestamptz) returns timestamptz
language sql stable set search_path = ''
as $$
  with held as (
    select h.started_at, extract(epoch from p_now - h.ended_at) as ago, extract(epoch from h.ended_at - h.started_at) as length
    from (
      select started_at, least(coalesce(ended_at, until), until, p_now) as ended_at
      from freshet.source_holds where source_id = p_source_id and not counts and started_at < p_now
    ) h
  ), added as (
    select ago, length, coalesce(sum(length) over (
      order by started_at desc rows between unbounded preceding and 1 preceding
    ), 0) as later
    from held
  )
  select p_now - make_interval(secs => (
    s.life + coalesce((select sum(a.length) from added a where a.ago - a.later <= s.life), 0)
  )::double precision)
  from (select expiry_hours * 3600 as life from freshet.sources where id = p_source_id) s
$$;
