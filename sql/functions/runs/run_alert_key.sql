-- The key under which alerts about a kind of run of one source are counted together: a source that fails every hour is one
-- alert, not twenty-four a day.
-- Called by: finish_run, reap_runs. Locks: none.
create or replace function freshet.run_alert_key(p_what text, p_run freshet.runs) returns text
language sql immutable set search_path = ''
as $$
  select concat_ws(':', p_what, p_run.kind, coalesce(p_run.source_id::text, 'none'))
$$;
