-- The backstop of delivery: enqueues one job if alerts wait and none of `notify` is left to deliver them, because the queue
-- was missing, or an operator cancelled the job. After a job gave up, another tries an hour later, or at once if that is
-- still to come: the clock has been set back since. Answers whether it did.
-- Called by: tell_beat, on every beat of the clock. Locks: none. Idempotent.
create or replace function freshet.wake_notify(p_now timestamptz) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  if not exists (select from freshet.alert_news where is_pending)
    or exists (select from pgboss.job where name = 'notify' and state in ('created', 'retry', 'active'))
    or exists (select from freshet.alert_stream where gave_up_at > p_now - interval '1 hour' and gave_up_at <= p_now)
    or not exists (select from pgboss.queue where name = 'notify')
  then
    return false;
  end if;
  perform freshet.enqueue('notify', '{}');
  return true;
end
$$;
