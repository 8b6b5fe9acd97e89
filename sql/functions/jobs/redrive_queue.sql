-- Puts up to p_limit dead letters of a queue back as new jobs, oldest first, all or none. Answers how many went back.
-- Called by: src/domain/queue/operate.ts. Locks: the letters it takes and their jobs; letters that another redrive holds are
-- passed over, so that two at once never bring back the same one.
create or replace function freshet.redrive_queue(p_queue text, p_limit integer) returns integer
language sql volatile set search_path = ''
as $$
  with taken as materialized (
    select l.name, l.id
    from pgboss.queue q join pgboss.job l on l.name = q.dead_letter
    where q.name = p_queue and l.state in ('completed', 'failed') and l.source_name = p_queue
    order by l.created_on, l.id
    limit p_limit
    for update of l skip locked
  )
  select count(freshet.redrive_letter(name, id))::integer from taken
$$;
