-- Takes one of the places that runs may have at one host at the same time (RULINGS 27), for as long as this connection lives.
-- Answers whether there was one.
-- Called by: src/domain/feeds/admit-feed-run.ts. Locks: an advisory lock of class 4622.
create or replace function freshet.take_host_slot(p_host text, p_slots integer) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  for i in 1..p_slots loop
    if pg_try_advisory_lock(4622, hashtext(lower(p_host) || '#' || i)) then
      return true;
    end if;
  end loop;
  return false;
end
$$;
