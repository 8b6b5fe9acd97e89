create or replace trigger _100_refuse_update before update on freshet.audit_log
  for each row execute function freshet.tg_audit_log__refuse_update();

create or replace trigger _500_announce_revocation after update of revoked_at, expires_at on freshet.api_keys
  for each row execute function freshet.tg_api_keys__announce_revocation();
