-- Where is written down which files were applied. No migration makes it: the files need it whatever migrations there are.
-- Called by: src/db/migrate. Idempotent.
create table if not exists freshet.applied_sql (
  path text primary key,
  hash text not null,
  objects text[] not null,
  program text not null,
  applied_at timestamptz not null default now()
)
