-- The keys that begin with $1 and are good at $2; which of them was sent is decided by their hash.
-- Called by: every request that carries a key. Locks: none.
select id, name, prefix, hash, scopes::text[], expires_at, last_used_at
from freshet.api_keys
where prefix = $1 and revoked_at is null and (expires_at is null or expires_at > $2)
