-- The condition behind an alert has ended: its open alert, if there is one, is resolved. Answers whether there was one.
-- Called by: SQL functions, src/domain/schedules/schedule.ts. Locks: the open alert of that key. Idempotent.
create or replace function freshet.resolve_alert(p_dedupe_key text, p_now timestamptz) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.alerts set resolved_at = p_now where dedupe_key = p_dedupe_key and resolved_at is null;
  return found;
end
$$;
