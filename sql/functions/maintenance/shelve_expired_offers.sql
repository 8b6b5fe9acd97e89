-- Takes offers that expired over p_keep ago out of current_offers; promotion puts back what is seen again (RULINGS 17).
-- Called by: maintenance. Locks: the rows it deletes, and first their presence, as promotion does: what a run is just promoting
-- is passed over, or waits and is put back. Idempotent. At most p_max_rows a call; answers how many.
create or replace function freshet.shelve_expired_offers(p_keep interval, p_now timestamptz, p_max_rows integer) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_count integer;
begin
  with old as materialized (
    select c.offer_id
    from (select id, freshet.active_since(id, p_now) - p_keep as since from freshet.sources) s
    join freshet.current_offers c on c.source_id = s.id
    join freshet.offer_presence p on p.offer_id = c.offer_id
    where p.last_seen_success_at < s.since
    limit p_max_rows for no key update of p skip locked
  )
  delete from freshet.current_offers c using old where c.offer_id = old.offer_id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
