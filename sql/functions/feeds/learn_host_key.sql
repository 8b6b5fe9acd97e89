-- Pins the host key that the first contact with a feed's server showed; once one is pinned, none is learned any more, nor is that
-- of a server where the feed is not any more. Answers whether it was learned.
-- Called by: src/domain/feeds/learn-host-key.ts. Locks: the feed's row. Idempotent.
create or replace function freshet.learn_host_key(p_feed_id bigint, p_host text, p_port integer, p_fingerprint text) returns boolean
language plpgsql volatile set search_path = ''
as $$
begin
  update freshet.feeds set host_keys = array[p_fingerprint] where id = p_feed_id and host_keys = '{}' and host = p_host and port is not distinct from p_port;
  if not found then
    return false;
  end if;
  perform freshet.write_audit(
    p_actor_key_id => null, p_actor => 'freshet', p_action => 'HOST_KEY_LEARNED', p_object_type => 'Feed',
    p_object_id => p_feed_id::text, p_changes => jsonb_build_object('hostKeys', jsonb_build_object('to', p_fingerprint)),
    p_request_id => 'run'
  );
  return true;
end
$$;
