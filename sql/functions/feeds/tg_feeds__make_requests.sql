-- Gives a new feed its row of requests.
-- Called by: the trigger _500_make_requests on feeds. Locks: none.
create or replace function freshet.tg_feeds__make_requests() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  insert into freshet.feed_requests (feed_id) values (new.id);
  return new;
end
$$;
