-- Why a blocked run cannot be approved or rejected, as a code, the first that holds (RULINGS 21); null if it can be.
-- p_expected is the number of offers that the operator was shown as about to expire; null asks for no comparison.
-- Called by: approve_activation, reject_activation, src/domain/feeds/request-decision.ts. Locks: none.
create or replace function freshet.decision_refusal(p_run_id bigint, p_expected integer, p_now timestamptz) returns text
language plpgsql stable set search_path = ''
as $$
declare
  v_run freshet.runs;
  v_row freshet.feed_runs;
begin
  select * into v_run from freshet.runs where id = p_run_id;
  select * into v_row from freshet.feed_runs where run_id = p_run_id;
  return case
    when v_row.run_id is null then 'RUN_NOT_FOUND'
    when v_run.status <> 'SUCCEEDED' then 'RUN_NOT_SUCCEEDED'
    when not v_row.is_blocked then 'NOT_BLOCKED'
    when v_row.approved_at is not null then 'ALREADY_APPROVED'
    when v_row.rejected_at is not null then 'ALREADY_REJECTED'
    when freshet.is_stale_run(p_run_id) then 'STALE_RUN'
    when p_expected <> freshet.would_expire(p_run_id, p_now) then 'IMPACT_CHANGED'
  end;
end
$$;
