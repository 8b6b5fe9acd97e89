-- pg_cron is not wanted any more: its lease is let go, so that a worker drives at its next beat, and that a worker drives is no
-- longer worth an alert. A worker that drives already keeps the clock.
-- Called by: src/db/pg-cron.ts. Locks: the clock's row, the open alert. Idempotent.
create or replace function freshet.dismiss_pg_cron(p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.clock set driver = null, lease_until = null where driver = 'pg_cron';
  perform freshet.resolve_alert('clock:taken-over', p_now);
end
$$;
