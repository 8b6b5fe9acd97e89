-- Gives a due time of a feed its number, in the payload of the job that is made for it (RULINGS 16).
-- Called by: the trigger _200_number_request on schedules, when the clock moves one that belongs to a feed. Locks: the feed's row
-- of requests.
create or replace function freshet.tg_schedules__number_request() returns trigger
language plpgsql volatile set search_path = ''
as $$
declare
  v_number bigint;
begin
  update freshet.feed_requests set requested = requested + 1, requested_at = new.last_run_at where feed_id = new.subject_id
  returning requested into v_number;
  new.payload := new.payload || jsonb_build_object('request', v_number);
  return new;
end
$$;
