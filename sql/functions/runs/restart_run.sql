-- Takes back what earlier attempts of a run that is still RUNNING wrote: its errors, counters and stage, so that a retried
-- run ends like an undisturbed one. Its events stay: they are the story, and somebody may have read them.
-- Called by: start_run, under the run's lock. Locks: the run's row. Idempotent but for its event.
create or replace function freshet.restart_run(p_run_id bigint, p_attempt integer, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
begin
  perform freshet.own_run(p_run_id, p_attempt);
  delete from freshet.run_errors where run_id = p_run_id;
  delete from freshet.run_error_totals where run_id = p_run_id;
  update freshet.runs set counters = '{}', error_count = 0, stage = null where id = p_run_id;
  perform freshet.append_run_event(p_run_id, 'RESTARTED', p_now);
end
$$;
