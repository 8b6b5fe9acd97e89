-- The signatures that functions have in the database, as `drop routine` wants them. $1: their names.
-- Called by: src/db/migrate. Locks: none.
select oid::regprocedure::text as signature
from pg_catalog.pg_proc
where pronamespace = 'freshet'::regnamespace and proname = any ($1)
