-- Whether a job of the queue `notify` is still to be worked or at work.
-- Called by: claim_alerts. Locks: none.
create or replace function freshet.is_notify_alive(p_job_id uuid) returns boolean
language sql stable set search_path = ''
as $$
  select exists (
    select from pgboss.job where name = 'notify' and id = p_job_id and state in ('created', 'retry', 'active')
  )
$$;
