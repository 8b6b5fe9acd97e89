-- Gives a blocked run up, by an operator's decision: it will never be shown, and what is shown has the life left that it had when
-- the block began. Refused with FR051.
-- Called by: src/domain/feeds/decide.ts, under the feed's lock. Locks: the run's row in feed_runs, the pending hold.
create or replace function freshet.reject_activation(p_run_id bigint, p_by text, p_reason text, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_row freshet.feed_runs;
  v_run freshet.runs;
begin
  perform from freshet.feed_runs where run_id = p_run_id for no key update;
  perform freshet.refuse_decision(freshet.decision_refusal(p_run_id, null, p_now));
  select * into strict v_run from freshet.runs where id = p_run_id;
  update freshet.feed_runs set rejected_at = p_now, rejected_by = p_by, rejected_reason = p_reason
  where run_id = p_run_id returning * into v_row;
  perform freshet.end_hold(v_run.source_id, p_now, false);
  perform freshet.resolve_alert('feed-blocked:' || v_row.feed_id, p_now);
  -- It counted the hold down; what is left of the offers' own time is told anew.
  perform freshet.resolve_alert('offers-expiring:' || v_run.source_id, p_now);
end
$$;
