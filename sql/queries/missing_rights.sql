-- What the present role lacks of what the program needs. $1: whether it also migrates.
-- Called by: freshet doctor. Locks: none.
with schemas as (
  select oid, nspname, nspowner from pg_catalog.pg_namespace where nspname in ('freshet', 'pgboss')
),
tables as (
  select c.oid, c.relowner, format('%s.%s', s.nspname, c.relname) as name
  from pg_catalog.pg_class c
  join schemas s on s.oid = c.relnamespace
  where c.relkind in ('r', 'p')
),
functions as (
  select p.oid, p.proowner, format('%s.%s', s.nspname, p.proname) as name
  from pg_catalog.pg_proc p
  join schemas s on s.oid = p.pronamespace
),
missing as (
  select 1 as rank, 'create on database ' || current_database() as title
  where $1::boolean and not has_database_privilege(current_database(), 'create')
  union all
  select 2, 'ownership of schema ' || nspname from schemas where $1 and not pg_has_role(nspowner, 'usage')
  union all
  select 3, 'ownership of ' || name from tables where $1 and not pg_has_role(relowner, 'usage')
  union all
  select 4, 'ownership of ' || name from functions where $1 and not pg_has_role(proowner, 'usage')
  union all
  select 5, 'usage on schema ' || nspname from schemas where not has_schema_privilege(oid, 'usage')
  union all
  -- As freshet.grant_runtime gives them.
  select 6, format('%s on %s', r.privilege, t.name)
  from tables t
  cross join lateral unnest(
    case
      when t.name in ('freshet.migrations', 'freshet.applied_sql') then array['select']
      when t.name = 'freshet.audit_log' then array['select', 'insert']
      else array['select', 'insert', 'update', 'delete']
    end
  ) as r(privilege)
  where not has_table_privilege(t.oid, r.privilege)
  union all
  select 7, 'execute on ' || name from functions where not has_function_privilege(oid, 'execute')
)
select
  current_user::text as role,
  array(select title from missing order by rank, title) as missing
