-- Writes down that a file was applied. $1: its path, $2: its hash, $3: what it defines, $4: the version of the program.
-- Called by: src/db/migrate. Locks: the file's row. Idempotent.
insert into freshet.applied_sql (path, hash, objects, program)
values ($1, $2, $3, $4)
on conflict (path) do update set
  hash = excluded.hash,
  objects = excluded.objects,
  program = excluded.program,
  applied_at = now()
