-- Puts many jobs into one queue in the caller's transaction: they exist exactly when it commits. The queue's settings are
-- copied onto each job, as pg-boss does; a test compares the rows column by column. Arrays after the payloads may be null,
-- or must be as long. Answers the ids in the order given; null where the queue's policy found the job to be there already.
-- Called by: enqueue, enqueue_due. Locks: none. Raises FR010 at once on a queue that does not exist: pg-boss's own foreign key
-- would speak up only at COMMIT.
create or replace function freshet.enqueue_jobs(
  p_queue text,
  p_payloads jsonb[],
  p_start_after timestamptz[] default null,
  p_singleton_keys text[] default null,
  p_group_ids text[] default null,
  p_priority integer default 0
) returns uuid[]
language plpgsql volatile set search_path = ''
as $$
declare
  v_queue pgboss.queue;
  v_now timestamptz := pgboss.job_now();
  v_ids uuid[];
  v_is_due boolean;
begin
  select * into v_queue from pgboss.queue where name = p_queue;
  if not found then
    raise exception 'There is no queue "%".', p_queue using errcode = 'FR010',
      hint = 'Every process makes the queues when it starts, and so does "freshet migrate".';
  end if;
  with given as (
    select gen_random_uuid() as id, j.payload, coalesce(j.start_after, v_now) as start_after, j.singleton_key, j.group_id, j.place
    from unnest(p_payloads, p_start_after, p_singleton_keys, p_group_ids)
      with ordinality as j(payload, start_after, singleton_key, group_id, place)
  ), inserted as (
    insert into pgboss.job (
      id, name, data, priority, start_after, created_on, singleton_key, group_id, expire_seconds, deletion_seconds, keep_until,
      retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds
    )
    select id, v_queue.name, payload, p_priority, start_after, v_now, singleton_key, group_id, v_queue.expire_seconds,
      v_queue.deletion_seconds, start_after + v_queue.retention_seconds * interval '1 second', v_queue.retry_limit,
      v_queue.retry_delay, v_queue.retry_backoff, v_queue.retry_delay_max, v_queue.policy, v_queue.dead_letter,
      v_queue.heartbeat_seconds
    from given
    on conflict do nothing
    returning id, start_after
  )
  select array_agg(i.id order by g.place), bool_or(i.start_after <= v_now) into v_ids, v_is_due
  from given g left join inserted i using (id);
  if v_is_due and v_queue.notify then
    perform freshet.wake_queue(p_queue);
  end if;
  return v_ids;
end
$$;
