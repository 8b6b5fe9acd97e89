-- Makes one source the retailer's display primary and takes the mark from all others (S2 §13.4).
-- Called by: setDisplayPrimary. Locks: the retailer's row, so that two switches run one after the other.
-- Idempotent: a source that is primary already changes nothing. Returns the source that was primary before, if any.
create or replace function freshet.set_display_primary(p_source_id bigint) returns bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_retailer_id bigint;
  v_before bigint;
begin
  select retailer_id into strict v_retailer_id from freshet.sources where id = p_source_id;
  perform from freshet.retailers where id = v_retailer_id for no key update;
  select id into v_before from freshet.sources where retailer_id = v_retailer_id and is_display_primary;
  if v_before is distinct from p_source_id then
    update freshet.sources set is_display_primary = false where id = v_before;
    update freshet.sources set is_display_primary = true where id = p_source_id;
  end if;
  return v_before;
end
$$;
