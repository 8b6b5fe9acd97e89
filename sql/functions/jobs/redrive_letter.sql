-- Puts one dead letter back as a new job of the queue it came from, and takes the letter away. Only a letter that was told
-- (its run failed, its handler heard of it) can go back. Answers the new job's id; null if the letter stays or had nothing to
-- bring back: it is not there or not told yet, its job was repeated meanwhile, or the queue takes one job a key and has one.
-- Called by: redrive_queue, src/domain/queue/operate.ts. Locks: the letter's row, then its job's: each goes back once.
create or replace function freshet.redrive_letter(p_dead_queue text, p_id uuid) returns uuid
language plpgsql volatile set search_path = ''
as $$
declare
  v_letter pgboss.job;
  v_new uuid;
begin
  select * into v_letter from pgboss.job
  where name = p_dead_queue and id = p_id and state in ('completed', 'failed') and source_name is not null
  for update;
  if not found then
    return null;
  end if;
  perform from pgboss.job where name = v_letter.source_name and id = v_letter.source_id for update;
  if found then
    if exists (
      select from pgboss.job where name = v_letter.source_name and id = v_letter.source_id and state = 'failed'
    ) then
      -- Takes this letter along.
      return freshet.repeat_job(v_letter.source_name, v_letter.source_id);
    end if;
  else
    v_new := freshet.enqueue(
      v_letter.source_name, v_letter.data, p_singleton_key => v_letter.singleton_key, p_group_id => v_letter.group_id,
      p_priority => v_letter.priority
    );
    if v_new is null then
      return null;
    end if;
  end if;
  delete from pgboss.job where name = p_dead_queue and id = p_id;
  return v_new;
end
$$;
