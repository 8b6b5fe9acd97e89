-- Shows what a blocked run saw, by an operator's decision and as of that moment (S2 §8.7): nothing is judged again. Prices that were
-- held in it are accepted with it (RULINGS 19). Under HOLD_REMOVALS its set is shown already and only the removals run
-- (RULINGS 14). Refused with FR051. Answers how many offers were promoted.
-- Called by: src/domain/feeds/decide.ts, under the feed's lock. Locks: the run's row in feed_runs, the offers.
create or replace function freshet.approve_activation(p_run_id bigint, p_by text, p_expected integer, p_now timestamptz) returns integer
language plpgsql volatile set search_path = ''
as $$
declare
  v_source_id bigint := (select source_id from freshet.runs where id = p_run_id);
  v_row freshet.feed_runs;
  v_count integer := 0;
  v_would_expire integer;
begin
  perform from freshet.feed_runs where run_id = p_run_id for no key update;
  perform freshet.refuse_decision(freshet.decision_refusal(p_run_id, p_expected, p_now));
  v_would_expire := freshet.would_expire(p_run_id, p_now);
  if exists (select from freshet.promotions where run_id = p_run_id) then
    perform freshet.end_hold(v_source_id, p_now, true);
    perform freshet.resolve_alert('offers-expiring:' || v_source_id, p_now);
  else
    v_count := freshet.show_blocked_run(p_run_id, p_now);
  end if;
  update freshet.feed_runs set approved_at = p_now, approved_by = p_by, products_expired = v_would_expire
  where run_id = p_run_id returning * into v_row;
  perform freshet.resolve_alert('feed-blocked:' || v_row.feed_id, p_now);
  return v_count;
end
$$;
