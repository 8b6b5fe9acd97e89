-- Says which stage a run has reached. Call it in a transaction of its own, before that of the stage: then people see what is
-- going on while it goes on, and a long stage keeps no event back.
-- Called by: conclude_feed_run, src/domain/runs/context.ts. Locks: the run's row. Not idempotent: each call is an event.
-- Raises FR021 if another attempt owns the run or it has ended.
create or replace function freshet.set_run_stage(p_run_id bigint, p_attempt integer, p_stage text, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform freshet.own_run(p_run_id, p_attempt);
  update freshet.runs set stage = p_stage where id = p_run_id;
  perform freshet.append_run_event(p_run_id, 'STAGE', p_now);
end
$$;
