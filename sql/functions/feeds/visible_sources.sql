-- The sources whose offers consumers see at p_now (S2 §13.1, §13.3), and since when an offer of theirs must have been seen.
-- Called by: visible_offers. Locks: none. Inlined (sql/README.md).
create or replace function freshet.visible_sources(p_now timestamptz)
returns table (source_id bigint, retailer_id bigint, since timestamptz)
language sql stable
as $$
  select s.id, s.retailer_id, freshet.active_since(s.id, p_now)
  from freshet.sources s
  where s.visibility_status = 'ELIGIBLE' and (
    s.is_display_primary
    or s.kind = 'DIRECT' and not exists (
      select from freshet.sources p where p.retailer_id = s.retailer_id and p.is_display_primary
    )
  )
$$;
