-- The warning of a run that is shown but seen by nobody, as an array that may be empty: why, and the mutation that changes it
-- (RULINGS 22).
-- Called by: conclude_feed_run. Locks: none.
create or replace function freshet.invisible_source_warnings(p_source_id bigint) returns jsonb
language sql stable set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'code', 'SOURCE_NOT_VISIBLE',
    'message', format('What this run brought is not seen by anybody, because its source is %s.', case v.reason
      when 'INELIGIBLE' then 'INELIGIBLE: setSourceVisibility(status: ELIGIBLE) changes that'
      else 'not its retailer''s display primary: setDisplayPrimary changes that'
    end)
  )), '[]')
  from freshet.source_visibility(array[p_source_id]) v where not v.visible
$$;
