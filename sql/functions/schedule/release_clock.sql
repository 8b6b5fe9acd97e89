-- Lets the lease go, so that another worker drives at its next beat instead of waiting for the lease to run out.
-- Called by: a worker that stops. Locks: the clock's row. Idempotent; another driver's lease is left alone.
create or replace function freshet.release_clock(p_driver text, p_now timestamptz) returns void
language sql volatile set search_path = ''
as $$
  update freshet.clock set lease_until = p_now where driver = p_driver and lease_until > p_now
$$;
