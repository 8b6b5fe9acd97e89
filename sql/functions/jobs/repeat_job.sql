-- Asks for the work of a job that failed or was cancelled once more, as a new job with the same payload: its run has ended for
-- good, a new job gets a new one. The old job remembers which job took its place, and its dead letter goes.
-- Answers the new job's id; null, and nothing changes, where the job is not there, its state does not allow it, it was
-- repeated already, or its queue takes one job a key and has one.
-- Called by: src/domain/queue/operate.ts, redrive_letter. Locks: the job's row, so that it is repeated once however many ask.
create or replace function freshet.repeat_job(p_queue text, p_id uuid) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_job pgboss.job;
  v_new uuid;
begin
  select * into v_job from pgboss.job
  where name = p_queue and id = p_id and state in ('failed', 'cancelled') and not coalesce(output ? 'repeatedAs', false)
  for update;
  if not found then
    return null;
  end if;
  v_new := freshet.enqueue(
    p_queue, v_job.data, p_singleton_key => v_job.singleton_key, p_group_id => v_job.group_id, p_priority => v_job.priority
  );
  if v_new is null then
    return null;
  end if;
  update pgboss.job
  set state = 'cancelled', output = (
    case when jsonb_typeof(output) = 'object' then output else jsonb_build_object('value', output) end
  ) || jsonb_build_object('repeatedAs', v_new)
  where name = p_queue and id = p_id;
  -- A letter that is being told, or taken by a redrive at this moment, is left alone: whoever takes it next sees that its job
  -- was repeated. Found by the root of its chain, which has an index.
  delete from pgboss.job l using (
    select d.name, d.id from pgboss.job d
    where d.source_root_id = coalesce(v_job.source_root_id, p_id) and d.source_name = p_queue and d.source_id = p_id
      and d.state in ('completed', 'failed')
    for update skip locked
  ) told
  where l.name = told.name and l.id = told.id;
  return v_new;
end
$$;
