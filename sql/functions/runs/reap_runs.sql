-- Fails runs that nobody will end: still RUNNING, none of its jobs waiting or at work, nobody holding its lock, and nothing
-- written to it for p_after. A run's jobs are its own (job_id) and those whose payload names it as runId. Raises an alert.
-- Called by: maintenance. Locks: the rows of the runs it looks at; those that somebody writes to are passed over.
-- Idempotent. At most p_max_rows runs a call, the longest silent first; answers those that were failed.
create or replace function freshet.reap_runs(p_after interval, p_now timestamptz, p_max_rows integer) returns setof bigint
language plpgsql volatile set search_path = ''
as $$
declare
  v_run freshet.runs;
begin
  for v_run in
    select * from freshet.runs r
    where r.status = 'RUNNING' and r.updated_at <= p_now - p_after
      and not exists (select from pgboss.job j where j.id = r.job_id and j.state in ('created', 'retry', 'active'))
      and not exists (
        select from pgboss.job j where j.data ->> 'runId' = r.id::text and j.state in ('created', 'retry', 'active')
      )
      and not freshet.is_run_lock_held(r.lock_class, r.lock_id)
    order by r.updated_at limit p_max_rows for no key update skip locked
  loop
    perform freshet.fail_run(
      p_run_id => v_run.id, p_attempt => null, p_code => 'RUN_REAPED',
      p_message => 'The worker was lost and no job is left to go on with the run.',
      p_hint => format('Look at the log of the workers around %s, then start the run again.',
        to_char(v_run.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      p_now => p_now
    );
    perform freshet.raise_alert(
      p_kind => 'RUN_REAPED', p_severity => 'P2', p_subject => format('%s run %s', v_run.kind, v_run.id),
      p_dedupe_key => freshet.run_alert_key('run-reaped', v_run),
      p_message => format('%s run %s stopped without an end and was failed.', v_run.kind, v_run.id),
      p_details => jsonb_build_object(
        'runId', v_run.id::text, 'jobId', v_run.job_id, 'stage', v_run.stage, 'lastWrittenAt', v_run.updated_at
      ), p_now => p_now, p_source_id => v_run.source_id, p_run_id => v_run.id
    );
    return next v_run.id;
  end loop;
end
$$;
