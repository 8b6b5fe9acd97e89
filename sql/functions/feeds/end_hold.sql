-- Ends the pending hold of a source, if there is one. p_counts: the held time counts after all (promotion, approval). One that ran
-- out before has ended by itself and never counts (RULINGS 13).
-- Called by: promote_run, approve_activation, reject_activation. Locks: the pending hold. Idempotent.
create or replace function freshet.end_hold(p_source_id bigint, p_at timestamptz, p_counts boolean) returns void
language sql volatile set search_path = ''
as $$
  update freshet.source_holds
  set ended_at = greatest(started_at, least(p_at, until)), counts = p_counts and p_at < until
  where source_id = p_source_id and ended_at is null
$$;
