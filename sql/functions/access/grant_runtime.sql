-- Gives a role what the running program needs and no more: it reads and writes rows and calls functions, it changes no
-- table. Run again after each migration. Called by: an operator, once for each deploy. Idempotent.
create or replace function freshet.grant_runtime(p_role name) returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_schema name;
begin
  foreach v_schema in array array['freshet', 'pgboss']::name[] loop
    execute format('grant usage on schema %I to %I', v_schema, p_role);
    execute format('grant select, insert, update, delete on all tables in schema %I to %I', v_schema, p_role);
    execute format('grant usage, select on all sequences in schema %I to %I', v_schema, p_role);
    execute format('grant execute on all functions in schema %I to %I', v_schema, p_role);
  end loop;
  -- What only the migrating role may change, or an intruder could cover his tracks or fool the version check.
  execute format('revoke update, delete on freshet.audit_log from %I', p_role);
  execute format('revoke insert, update, delete on freshet.migrations, freshet.applied_sql from %I', p_role);
end
$$;
