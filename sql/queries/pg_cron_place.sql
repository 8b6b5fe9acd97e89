-- Whether this server has pg_cron, and in which database it lives. Its home is shown to those who may read all settings.
select
  current_database() as "database",
  (select setting from pg_catalog.pg_settings where name = 'cron.database_name') as "home",
  (select default_version from pg_catalog.pg_available_extensions where name = 'pg_cron') as "available",
  (select extversion from pg_catalog.pg_extension where extname = 'pg_cron') as "installed"
