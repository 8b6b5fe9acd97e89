-- Raises OFFERS_EXPIRING where half, then nine tenths, of the time that offers last has passed without a promotion; while a block
-- holds that clock, of the time that it holds (RULINGS 13, 27). Each stage is told once; a promotion resolves it. p_keep is not used.
-- Called by: maintenance. Locks: the open alerts it raises. Idempotent. Looks at all feeds; answers how many alerts were raised.
create or replace function freshet.warn_expiring_offers(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_feed record;
  v_severity freshet.alert_severity;
  v_active integer;
  v_count integer := 0;
begin
  for v_feed in
    select f.id, f.source_id, f.status, s.name, s.expiry_hours, freshet.offers_expire_at(f.source_id) as expire_at, h.started_at, h.until
    from freshet.feeds f join freshet.sources s on s.id = f.source_id
    left join freshet.source_holds h on h.source_id = f.source_id and h.ended_at is null and h.until > p_now
    order by f.id
  loop
    v_severity := case
      when v_feed.expire_at is null or v_feed.expire_at <= p_now then null
      when v_feed.until is not null then freshet.expiry_severity(v_feed.started_at, v_feed.until, p_now)
      else freshet.expiry_severity(v_feed.expire_at - make_interval(secs => v_feed.expiry_hours * 3600), v_feed.expire_at, p_now)
    end;
    continue when v_severity is null or exists (
      select from freshet.alerts a
      where a.dedupe_key = 'offers-expiring:' || v_feed.source_id and a.resolved_at is null and a.severity <= v_severity
    );
    select count(*) into v_active
    from freshet.current_offers c join freshet.offer_presence p using (offer_id)
    where c.source_id = v_feed.source_id and p.last_seen_success_at >= freshet.active_since(v_feed.source_id, p_now);
    continue when v_active = 0;
    perform freshet.raise_alert(
      p_kind => 'OFFERS_EXPIRING', p_severity => v_severity, p_subject => v_feed.name,
      p_dedupe_key => 'offers-expiring:' || v_feed.source_id,
      p_message => format('%s offers of %s expire from %s on (in %s h): %s.', v_active, v_feed.name,
        to_char(v_feed.expire_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        round(extract(epoch from v_feed.expire_at - p_now) / 3600, 1),
        case
          when v_feed.until is not null then 'a blocked run waits for a decision'
          when v_feed.status <> 'ENABLED' then format('its feed is %s', v_feed.status)
          else 'no run of its feed was promoted'
        end),
      p_details => jsonb_build_object(
        'feedId', v_feed.id::text, 'offers', v_active, 'expireAt', v_feed.expire_at, 'holdUntil', v_feed.until, 'status', v_feed.status
      ),
      p_now => p_now, p_source_id => v_feed.source_id
    );
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
