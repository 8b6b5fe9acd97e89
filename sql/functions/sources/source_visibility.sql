-- Says of every source whether consumers see what it brings, and why (S2 §13.3): it must be ELIGIBLE and its retailer's
-- display primary; a retailer without a primary falls back to its DIRECT sources. One rule, asked by every reader.
-- Called by: invisible_source_warnings, Source.visibility. Locks: none.
create or replace function freshet.source_visibility(p_source_ids bigint[])
returns table (source_id bigint, visible boolean, reason text)
language sql stable set search_path = ''
as $$
  select s.id, v.reason in ('IS_PRIMARY', 'DIRECT_WITHOUT_PRIMARY'), v.reason
  from freshet.sources s
  left join freshet.sources p on p.retailer_id = s.retailer_id and p.is_display_primary
  cross join lateral (
    select case
      when s.visibility_status = 'INELIGIBLE' then 'INELIGIBLE'
      when s.is_display_primary then 'IS_PRIMARY'
      when p.id is not null then 'ANOTHER_SOURCE_IS_PRIMARY'
      when s.kind = 'DIRECT' then 'DIRECT_WITHOUT_PRIMARY'
      else 'NOT_PRIMARY'
    end as reason
  ) v
  where s.id = any (p_source_ids)
$$;
