-- How urgent it is that a stretch of time runs out: P2 from half of it, P1 from nine tenths, before that nothing.
-- Called by: warn_expiring_offers. Locks: none.
create or replace function freshet.expiry_severity(p_from timestamptz, p_to timestamptz, p_now timestamptz)
returns freshet.alert_severity
language sql immutable set search_path = ''
as $$
  select case
    when extract(epoch from p_now - p_from) >= 0.9 * extract(epoch from p_to - p_from) then 'P1'
    when extract(epoch from p_now - p_from) >= 0.5 * extract(epoch from p_to - p_from) then 'P2'
  end::freshet.alert_severity
$$;
