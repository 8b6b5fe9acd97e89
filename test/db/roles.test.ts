import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, expect, test } from 'vitest'
import { assertMigrated, migrate, planMigration } from '../../src/db/migrate/migrate.ts'
import { cloneDatabase } from '../support/database.ts'
import { aRetailer, aSource } from '../support/rows.ts'
import { createTestRole } from '../support/role.ts'
import { ownSqlAnd } from './fixtures/sql-folder.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await cloneDatabase())

const runtime = stack.use(await createTestRole(database))
await database.pool.query('select freshet.grant_runtime($1)', [runtime.name])
const pool = new pg.Pool({ connectionString: runtime.url, max: 2 })
stack.defer(() => pool.end())

test('the runtime role finds the database migrated, and migrating does nothing', async () => {
  await expect(assertMigrated(runtime.url)).resolves.toBeUndefined()
  await expect(migrate(runtime.url)).resolves.toEqual({ queue: null, migrations: [], applied: [], dropped: [] })
})

test('the runtime role sees what is pending and may not run it', async () => {
  await using folder = await ownSqlAnd({ 'migrations/9001_more.sql': 'create table freshet.more ();' })
  expect(await planMigration(runtime.url, { sqlDir: folder.dir })).toMatchObject({
    migrations: [{ name: '9001_more' }],
  })
  await expect(assertMigrated(runtime.url, { sqlDir: folder.dir })).rejects.toMatchObject({
    code: 'MIGRATIONS_PENDING',
  })
  await expect(migrate(runtime.url, { sqlDir: folder.dir })).rejects.toMatchObject({ code: 'DATABASE_ACCESS_DENIED' })
})

test('the runtime role reads and writes rows and calls functions', async () => {
  await aSource(pool, await aRetailer(pool))
  await pool.query("update freshet.retailers set name = 'The shop'")
  await pool.query("select freshet.tick('worker', interval '15 seconds', now())")
  await pool.query("select freshet.write_audit(null, 'test', 'test', 'Test', null, null, 'request')")
  expect((await pool.query('select name from freshet.retailers')).rows).toEqual([{ name: 'The shop' }])
})

test.each([
  ['create a table', 'create table freshet.mine ()'],
  ['alter a table', 'alter table freshet.retailers add column mine int'],
  ['drop a table', 'drop table freshet.retailers'],
  ['truncate a table', 'truncate freshet.retailers cascade'],
  [
    'replace a function',
    "create or replace function freshet.resolve_alert(text, timestamptz) returns boolean language sql as 'select true'",
  ],
  ['drop a trigger', 'drop trigger _100_refuse_update on freshet.audit_log'],
  ['rewrite the audit log', "update freshet.audit_log set actor = 'nobody'"],
  ['add to the record of migrations', "insert into freshet.migrations (name, run_on) values ('9999_mine', now())"],
  ['change the record of migrations', "update freshet.migrations set name = 'mine'"],
  ['empty the record of migrations', 'delete from freshet.migrations'],
  ['change the record of files', "update freshet.applied_sql set hash = ''"],
  [
    'add to the record of files',
    "insert into freshet.applied_sql (path, hash, objects, program) values ('mine', '', '{}', '0.0.0')",
  ],
  ['empty the record of files', 'delete from freshet.applied_sql'],
  ['create a schema', 'create schema mine'],
])('the runtime role cannot %s', async (_what, sql) => {
  await expect(pool.query(sql)).rejects.toMatchObject({ code: '42501' })
})

test('the queue starts, sends and fetches as the runtime role', async () => {
  const boss = new PgBoss({ connectionString: runtime.url, migrate: false, supervise: false, schedule: false })
  const errors: unknown[] = []
  boss.on('error', (error) => errors.push(error))
  await boss.start()
  try {
    await boss.createQueue('errand')
    const id = await boss.send('errand', { to: 'shop' })
    expect(await boss.fetch('errand')).toMatchObject([{ id, data: { to: 'shop' } }])
    await boss.complete('errand', id ?? '')
    expect(errors).toEqual([])
  } finally {
    await boss.stop({ graceful: false })
  }
})

test('granting twice is the same as granting once', async () => {
  const rights = async () =>
    (
      await database.pool.query<{ rights: string }>(
        "select table_name || ' ' || privilege_type as rights from information_schema.role_table_grants where grantee = $1 order by 1",
        [runtime.name],
      )
    ).rows
  const before = await rights()
  await database.pool.query('select freshet.grant_runtime($1)', [runtime.name])
  expect(await rights()).toEqual(before)
})

test('a role without any right is told to be given them', async () => {
  const stranger = stack.use(await createTestRole(database))
  await expect(assertMigrated(stranger.url)).rejects.toMatchObject({
    code: 'DATABASE_ACCESS_DENIED',
    message: expect.stringContaining("select freshet.grant_runtime('<role>')") as string,
  })
})
