-- One beat of the clock. Does nothing while another driver's lease runs; otherwise takes or renews the lease and records
-- the beat, in one conditional UPDATE, so that of any number of callers exactly one drives.
-- Called by: a worker every 5 s. Locks: the clock's row. Idempotent. Returns whether the caller drives.
create or replace function freshet.tick(p_driver text, p_lease interval, p_now timestamptz) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.clock
  set driver = p_driver, lease_until = p_now + p_lease, last_tick_at = p_now
  where driver is not distinct from p_driver or lease_until is null or lease_until <= p_now;
  return found;
end
$$;
