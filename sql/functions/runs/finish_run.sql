-- Ends a run well, for good: with fail_run the only writer of an end. Resolves the alert that an earlier run of this kind and
-- source was reaped.
-- Called by: conclude_feed_run, skip_feed_run, src/domain/runs/context.ts. Locks: the run's row. A second finish is refused with FR022;
-- FR021 if another attempt owns the run.
create or replace function freshet.finish_run(p_run_id bigint, p_attempt integer, p_now timestamptz) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
begin
  select * into v_run from freshet.runs where id = p_run_id for no key update;
  if v_run.status <> 'RUNNING' then
    raise exception 'Run % has ended already.', p_run_id using errcode = 'FR022',
      detail = format('It is %s since %s.', v_run.status, v_run.finished_at), hint = 'The end of a run is final. Start a new run.';
  end if;
  perform freshet.own_run(p_run_id, p_attempt);
  perform freshet.append_run_event(p_run_id, 'SUCCEEDED', p_now);
  update freshet.runs set status = 'SUCCEEDED', finished_at = p_now where id = p_run_id;
  perform freshet.resolve_alert(freshet.run_alert_key('run-reaped', v_run), p_now);
end
$$;
