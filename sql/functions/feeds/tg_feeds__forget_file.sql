-- Forgets what was known of a feed's file where it would be read otherwise now, and the host keys of a server where it lies on another.
-- Called by: the trigger _200_forget_file on feeds. Locks: none.
create or replace function freshet.tg_feeds__forget_file() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  if freshet.feed_reading(new) is distinct from freshet.feed_reading(old) then
    new.last_remote_mtime := null;
    new.last_remote_size := null;
    new.last_content_hash := null;
  end if;
  if (new.host, new.port) is distinct from (old.host, old.port) then
    new.host_keys := '{}';
  end if;
  return new;
end
$$;
