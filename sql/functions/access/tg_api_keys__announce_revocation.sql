-- Tells every process at commit that a key's rights changed, so that its open subscriptions end at once.
-- Called by: the trigger _500_announce_revocation on api_keys. Locks: none.
create or replace function freshet.tg_api_keys__announce_revocation() returns trigger
language plpgsql volatile set search_path = ''
as $$
begin
  perform pg_notify('freshet_key_revoked', new.id::text);
  return null;
end
$$;
