-- For each function the statement that has Postgres read its body, as `create function` would.
-- Called by: src/db/migrate. Locks: none.
select p.proname as name, format('select %s(%s)', l.lanvalidator::regproc, p.oid) as statement
from pg_catalog.pg_proc p
join pg_catalog.pg_language l on l.oid = p.prolang
where p.pronamespace = 'freshet'::regnamespace and l.lanvalidator <> 0
order by p.proname
