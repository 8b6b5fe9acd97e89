-- What the catalogs say about this database. Any role may ask, on an empty database too.
-- Called by: src/db/migrate. Locks: none.
select
  current_setting('server_version_num')::integer as server_version,
  array(
    select format('%s.%s', n.nspname, c.relname)
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where (n.nspname, c.relname) in (('pgboss', 'version'), ('freshet', 'migrations'), ('freshet', 'applied_sql'))
  ) as records,
  array(
    select 'function ' || p.proname
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'freshet'
    union
    select 'view ' || c.relname
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'freshet' and c.relkind = 'v'
    union
    select format('trigger %s on %s', t.tgname, c.relname)
    from pg_catalog.pg_trigger t
    join pg_catalog.pg_class c on c.oid = t.tgrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'freshet' and not t.tgisinternal
  ) as objects
