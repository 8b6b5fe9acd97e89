-- Gives a due time of a feed its number, in the payload of the job that is made for it (RULINGS 16). A schedule that somebody runs by
-- hand, which leaves its next time as it is, is a click: a run at work owes it a follow-up.
-- Called by: the trigger _200_number_request on schedules, when one that belongs to a feed is run. Locks: the feed's row of requests.
create or replace function freshet.tg_schedules__number_request() returns trigger
language plpgsql volatile set search_path = ''
as $$
declare
  v_by_hand boolean := new.next_run_at is not distinct from old.next_run_at;
  v_number bigint;
begin
  update freshet.feed_requests
  set requested = requested + 1, requested_at = new.last_run_at,
    manual = case when v_by_hand then requested + 1 else manual end,
    manual_at = case when v_by_hand then new.last_run_at else manual_at end
  where feed_id = new.subject_id
  returning requested into v_number;
  new.payload := new.payload || jsonb_build_object('request', v_number);
  return new;
end
$$;
