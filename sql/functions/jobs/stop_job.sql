-- Ends a job that an operator does not want: one that waits never starts; one at work is taken from its worker, whose signal
-- says so at its next heartbeat and whose word about the job is not heard any more. Of a dead letter queue it dismisses a letter
-- that was told. Answers whether the state of the job allowed it; if not, nothing changes. The run is ended by the caller,
-- in the same transaction (cancel_run_of_job).
-- Called by: src/domain/queue/operate.ts. Locks: the job's row.
create or replace function freshet.stop_job(p_queue text, p_id uuid, p_output jsonb) returns boolean
language plpgsql volatile set search_path = ''
as $$
declare
  v_states pgboss.job_state[] := case
    when freshet.is_dead_queue(p_queue) then '{completed,failed}' else '{created,retry,active}'
  end;
begin
  update pgboss.job
  set state = 'cancelled', completed_on = pgboss.job_now(), heartbeat_on = null, output = p_output
  where name = p_queue and id = p_id and state = any(v_states);
  return found;
end
$$;
