-- Whether a queue holds the dead letters of another.
-- Called by: delete_job, stop_job, src/domain/queue/operate.ts. Locks: none.
create or replace function freshet.is_dead_queue(p_queue text) returns boolean
language sql stable set search_path = ''
as $$
  select exists (select from pgboss.queue where dead_letter = p_queue)
$$;
