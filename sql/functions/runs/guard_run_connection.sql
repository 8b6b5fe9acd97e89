-- Makes this session notice within 15 s that its client is gone, so that a dead worker's lock does not linger. A setting
-- that the server or its platform does not know is left out.
-- Called by: src/db/run-lock.ts on each run's connection. Locks: none. Idempotent.
create or replace function freshet.guard_run_connection() returns void
language plpgsql volatile set search_path = ''
as $$
declare
  v_setting text[];
begin
  foreach v_setting slice 1 in array array[
    ['tcp_keepalives_idle', '5'], ['tcp_keepalives_interval', '5'], ['tcp_keepalives_count', '2'],
    ['tcp_user_timeout', '15s'], ['client_connection_check_interval', '5s']
  ] loop
    begin
      perform set_config(v_setting[1], v_setting[2], false);
    exception when undefined_object or invalid_parameter_value or feature_not_supported then
      null;
    end;
  end loop;
end
$$;
