-- Whether a queue holds the dead letters of another.
<<<<<<< HEAD
-- Called by: delete_job, stop_job. Locks: none.
=======
-- Called by: stop_job, delete_job, src/domain/queue/operate.ts. Locks: none.
>>>>>>> a1ecd70f52dec36d1e66d961e3259a252c4189ee
create or replace function freshet.is_dead_queue(p_queue text) returns boolean
language sql stable set search_path = ''
as $$
  select exists (select from pgboss.queue where dead_letter = p_queue)
$$;
