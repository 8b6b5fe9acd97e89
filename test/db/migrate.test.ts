import { expect, test } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import {
  assertMigrated,
  describePlan,
  migrate,
  planMigration,
  type MigrationStep,
} from '../../src/db/migrate/migrate.ts'
import { comparePlan } from '../../src/db/migrate/plan.ts'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'
import { fingerprint } from './fixtures/fingerprint.ts'
import { ownSqlAnd, sqlFolder } from './fixtures/sql-folder.ts'

/** The same database, for a session that cannot write. */
const readOnly = (url: string) =>
  `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c default_transaction_read_only=on')}`

test('brings an empty database to where the files are, and reports what ran', async () => {
  await using database = await createEmptyDatabase()
  const files = await readSqlFiles()
  const report = await migrate(database.url)
  expect(report).toEqual({
    queue: { from: null, to: 43 },
    migrations: files.migrations.map(({ name }) => name),
    applied: files.replaceables.map(({ path }) => path),
    dropped: [],
  })
  await expect(assertMigrated(database.url)).resolves.toBeUndefined()
})

test('runs everything in one transaction', async () => {
  await using database = await createEmptyDatabase()
  await migrate(database.url)
  const { rows } = await database.pool.query(
    `select distinct xmin from freshet.migrations union select xmin from freshet.applied_sql union select xmin from pgboss.version
     union select xmin from pg_proc where pronamespace = 'freshet'::regnamespace`,
  )
  expect(rows).toHaveLength(1)
})

test('does nothing the second time', async () => {
  await using database = await cloneDatabase()
  const steps: MigrationStep[] = []
  const report = await migrate(database.url, { onStep: (step) => void steps.push(step) })
  expect(report).toEqual({ queue: null, migrations: [], applied: [], dropped: [] })
  expect(steps).toEqual([])
})

test('neither writes nor waits for the lock when nothing is pending', async () => {
  await using database = await cloneDatabase()
  const holder = await database.pool.connect()
  await holder.query('select pg_advisory_lock(4610, 0)')
  try {
    await expect(migrate(readOnly(database.url))).resolves.toMatchObject({ migrations: [], applied: [] })
    await expect(assertMigrated(readOnly(database.url))).resolves.toBeUndefined()
  } finally {
    holder.release(true)
  }
})

test('waits for a process that migrates, and says so', async () => {
  await using database = await createEmptyDatabase()
  const holder = await database.pool.connect()
  await holder.query('select pg_advisory_lock(4610, 0)')
  const steps: string[] = []
  const waiting = Promise.withResolvers<void>()
  const migrating = migrate(database.url, {
    onStep: ({ kind }) => {
      steps.push(kind)
      if (kind === 'wait') waiting.resolve()
    },
  })
  await waiting.promise
  expect(await planMigration(database.url)).toMatchObject({ isEmpty: false })
  holder.release(true)
  await migrating
  expect(steps.slice(0, 3)).toEqual(['wait', 'begin', 'schema'])
})

test('says what would run on an empty database and writes nothing', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await sqlFolder({
    'migrations/0001_t.sql': 'create table freshet.t ();',
    'functions/f.sql': 'create or replace function freshet.f() returns int language sql stable as $$ select 1 $$;',
  })
  const before = await fingerprint(database.url)
  const plan = await planMigration(readOnly(database.url), { sqlDir: folder.dir })
  expect(describePlan(plan)).toEqual(['install queue 43', 'run migrations/0001_t.sql', 'apply functions/f.sql'])
  expect(await fingerprint(database.url)).toBe(before)
})

test('refuses to start on a database that is behind, and says how to see what is pending', async () => {
  await using database = await cloneDatabase()
  await using folder = await ownSqlAnd({ 'migrations/9001_more.sql': 'create table freshet.more ();' })
  await expect(assertMigrated(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    code: 'MIGRATIONS_PENDING',
    message: 'The database is behind this program: 1 step is pending.',
    hint: 'Run "freshet migrate" as the owner, or set FRESHET_MIGRATE=true; "freshet migrate --dry-run" lists what it would do.',
  })
})

test('an older program refuses a newer database', async () => {
  await using database = await cloneDatabase()
  await using newer = await ownSqlAnd({ 'migrations/9001_more.sql': 'create table freshet.more ();' })
  await migrate(database.url, { sqlDir: newer.dir })
  const before = await fingerprint(database.url)
  for (const start of [migrate, assertMigrated, planMigration]) {
    await expect(start(database.url)).rejects.toMatchObject({
      code: 'DATABASE_NEWER',
      message: expect.stringContaining('migrations that this program does not know (9001_more)') as string,
    })
  }
  expect(await fingerprint(database.url)).toBe(before)
})

test('an older program does not put its older functions back', async () => {
  await using database = await cloneDatabase()
  const hide = (version: string) =>
    database.pool.query(
      "update freshet.applied_sql set hash = 'other', program = $1 where path = 'functions/schedule/tick.sql'",
      [version],
    )
  await hide('0.10.0')
  await expect(migrate(database.url)).rejects.toMatchObject({
    code: 'DATABASE_NEWER',
    message: expect.stringContaining('version 0.10.0 applied its functions/schedule/tick.sql') as string,
  })
  await hide('0.0.9')
  await expect(migrate(database.url)).resolves.toMatchObject({ applied: ['functions/schedule/tick.sql'] })
})

test('refuses a database whose queue tables are newer', async () => {
  await using database = await cloneDatabase()
  await database.pool.query('update pgboss.version set version = 44')
  await expect(migrate(database.url)).rejects.toMatchObject({
    code: 'DATABASE_NEWER',
    message: expect.stringContaining('queue tables have version 44, this program knows 43') as string,
  })
})

test('refuses a migration that was slipped in before one that has run', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await sqlFolder({ 'migrations/0002_b.sql': 'create table freshet.b ();' })
  await migrate(database.url, { sqlDir: folder.dir })
  await folder.write({ 'migrations/0001_a.sql': 'create table freshet.a ();' })
  await expect(migrate(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    code: 'MIGRATIONS_OUT_OF_ORDER',
    message: 'migrations/0001_a.sql has not run, yet the later 0002_b has. Give it a number after 0002_b.',
  })
})

test('refuses a server older than Postgres 15', async () => {
  const files = await readSqlFiles()
  const state = { queueVersion: null, migrations: [], applied: [], objects: [] }
  expect(() => comparePlan(files, { ...state, serverVersion: 149_999 })).toThrow(
    expect.objectContaining({
      code: 'DATABASE_TOO_OLD',
      message: expect.stringContaining('This is Postgres 14') as string,
    }),
  )
  expect(comparePlan(files, { ...state, serverVersion: 150_000 }).isEmpty).toBe(false)
})

test('a failing migration leaves an empty database empty, and names its file and line', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await ownSqlAnd({
    'migrations/9001_bad.sql': '-- why\ncreate table freshet.more ();\nalter table freshet.nowhere add a int;\n',
  })
  const before = await fingerprint(database.url)
  await expect(migrate(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    file: 'migrations/9001_bad.sql',
    message: expect.stringMatching(
      /^migrations\/9001_bad\.sql.* failed: relation "freshet\.nowhere" does not exist\nNothing of it was kept/,
    ) as string,
  })
  expect(await fingerprint(database.url)).toBe(before)
})

test('a failing migration leaves a migrated database as it was, rows and times included', async () => {
  await using database = await cloneDatabase()
  await using folder = await ownSqlAnd({
    'migrations/9001_more.sql':
      "create table freshet.more (); insert into freshet.retailers (slug, name) values ('a', 'A');",
    'migrations/9002_bad.sql': 'create table freshet.more2 ();\ncreate tabel x ();\n',
    'functions/more.sql':
      'create or replace function freshet.more() returns int language sql stable as $$ select 1 $$;',
  })
  const rows = async () => (await database.pool.query('select *, xmin from freshet.applied_sql order by path')).rows
  const before = [await fingerprint(database.url), await rows()]
  await expect(migrate(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    file: 'migrations/9002_bad.sql',
    line: 2,
  })
  expect([await fingerprint(database.url), await rows()]).toEqual(before)
  expect((await database.pool.query('select * from freshet.retailers')).rows).toEqual([])
})

test('a failing function undoes the migrations before it', async () => {
  await using database = await cloneDatabase()
  await using folder = await ownSqlAnd({
    'migrations/9001_more.sql': 'create table freshet.more ();',
    'functions/bad.sql':
      'create or replace function freshet.bad() returns int language sql stable as $$\n  select 1 from freshet.nowhere\n$$;',
  })
  const before = await fingerprint(database.url)
  await expect(migrate(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    file: 'functions/bad.sql',
    line: 2,
    message: expect.stringContaining(
      'functions/bad.sql, line 2 failed: relation "freshet.nowhere" does not exist',
    ) as string,
  })
  expect(await fingerprint(database.url)).toBe(before)
})

test('a migration that takes a column from a function which still reads it is refused', async () => {
  await using database = await cloneDatabase()
  await using folder = await ownSqlAnd({
    'migrations/9001_less.sql': 'alter table freshet.audit_log drop column request_id;',
  })
  await expect(migrate(database.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    file: 'functions/access/write_audit.sql',
  })
})

test('runs under no time limit of the role, and with names that carry their schema only', async () => {
  await using database = await createEmptyDatabase()
  await using folder = await sqlFolder({
    'migrations/0001_settings.sql': `create table freshet.settings as select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'search_path', 'transaction_isolation');`,
  })
  const { rows } = await database.pool.query<{ name: string }>('select current_database() as name')
  for (const setting of [
    'statement_timeout = 60000',
    'lock_timeout = 60000',
    "default_transaction_isolation = 'repeatable read'",
  ]) {
    await database.pool.query(`alter database ${rows[0]?.name} set ${setting}`)
  }
  await migrate(database.url, { sqlDir: folder.dir })
  expect((await database.pool.query('select * from freshet.settings order by name')).rows).toEqual([
    { name: 'idle_in_transaction_session_timeout', setting: '0' },
    { name: 'lock_timeout', setting: '0' },
    { name: 'search_path', setting: '""' },
    { name: 'statement_timeout', setting: '0' },
    { name: 'transaction_isolation', setting: 'read committed' },
  ])
})

test('a role that may not create schemas is told who may', async () => {
  await using database = await createEmptyDatabase()
  const role = `freshet_test_${Math.random().toString(36).slice(2, 10)}`
  await database.pool.query(`create role ${role} login password 'secret-of-the-test'`)
  const url = new URL(database.url)
  url.username = role
  url.password = 'secret-of-the-test'
  try {
    const error = await migrate(url.href).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).toMatchObject({
      code: 'DATABASE_ACCESS_DENIED',
      message: expect.stringContaining('freshet.grant_runtime') as string,
    })
    expect(String(error)).not.toContain('secret-of-the-test')
  } finally {
    await database.pool.query(`drop role ${role}`)
  }
})

test('says what to do when there is no server', async () => {
  await expect(migrate('postgres://nobody@127.0.0.1:1/none')).rejects.toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: 'Postgres at 127.0.0.1:1 cannot be reached: nothing listens there.',
  })
})
