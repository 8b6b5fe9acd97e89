import { afterAll, expect, test } from 'vitest'
import { describePlan, migrate, planMigration } from '../../src/db/migrate/migrate.ts'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { fingerprint } from './fixtures/fingerprint.ts'
import { sqlFolder, type SqlFolder } from './fixtures/sql-folder.ts'

const aFunction = (head: string, body = 'select 1') =>
  `create or replace function freshet.${head} language sql stable set search_path = '' as $$ ${body} $$;\n`
const triggerFunction = (name: string, body = 'return new;') =>
  `create or replace function freshet.${name}() returns trigger language plpgsql volatile set search_path = '' as $$ begin ${body} end $$;\n`
const aTrigger = (name: string, head = 'create or replace trigger') =>
  `${head} ${name} after update on freshet.t for each row execute function freshet.tg();\n`

// Making databases is what takes time: these two are used again, without our schema, by every test.
const stack = new AsyncDisposableStack()
const [database, fresh] = [stack.use(await createEmptyDatabase()), stack.use(await createEmptyDatabase())]
afterAll(() => stack.disposeAsync())

async function migrateFresh({ url, pool }: TestDatabase, folder: SqlFolder) {
  await pool.query('drop schema if exists freshet cascade')
  await migrate(url, { sqlDir: folder.dir })
}

/** A database made from the given files beside a table `t (a int)`. */
async function setup(files: Record<string, string>) {
  const folder = await sqlFolder({ 'migrations/0001_t.sql': 'create table freshet.t (a int);', ...files })
  await migrateFresh(database, folder)
  const { url, pool } = database
  return {
    url,
    pool,
    folder,
    migrateAgain: () => migrate(url, { sqlDir: folder.dir }),
    plan: async () => describePlan(await planMigration(url, { sqlDir: folder.dir })),
    ask: async (sql: string) => (await pool.query<{ answer: unknown }>(`select ${sql} as answer`)).rows[0]?.answer,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** A database that took every step equals one made from the last files at once. */
async function expectAsFresh(url: string, folder: SqlFolder) {
  await migrateFresh(fresh, folder)
  expect(await fingerprint(url)).toBe(await fingerprint(fresh.url))
}

test('applies a function again when its text changed, and only that one', async () => {
  await using it = await setup({
    'functions/f.sql': aFunction('f() returns int'),
    'functions/g.sql': aFunction('g() returns int'),
  })
  await it.folder.write({ 'functions/f.sql': aFunction('f() returns int', 'select 2') })
  expect(await it.plan()).toEqual(['re-apply functions/f.sql'])
  expect(await it.migrateAgain()).toEqual({ queue: null, migrations: [], applied: ['functions/f.sql'], dropped: [] })
  expect(await it.ask('freshet.f()')).toBe(2)
  expect(await it.plan()).toEqual([])
  await expectAsFresh(it.url, it.folder)
})

test('replaces a function whose return type changed', async () => {
  await using it = await setup({ 'functions/f.sql': aFunction('f() returns int') })
  await it.folder.write({ 'functions/f.sql': aFunction('f() returns text', "select 'two'") })
  await it.migrateAgain()
  expect(await it.ask('freshet.f()')).toBe('two')
  await expectAsFresh(it.url, it.folder)
})

test('replaces a function whose parameters changed, in type, name or number, and leaves no overload', async () => {
  await using it = await setup({ 'functions/f.sql': aFunction('f(p_a int) returns int') })
  for (const head of [
    'f(p_a text) returns int',
    'f(p_b text) returns int',
    'f(p_b text, p_c int) returns int',
    'f() returns int',
  ]) {
    await it.folder.write({ 'functions/f.sql': aFunction(head) })
    await it.migrateAgain()
    await expectAsFresh(it.url, it.folder)
  }
})

test('replaces a function by a procedure of its name', async () => {
  await using it = await setup({ 'functions/f.sql': aFunction('f() returns int') })
  await it.folder.write({
    'functions/f.sql': `create or replace procedure freshet.f() language sql as $$ select 1 $$;`,
  })
  await it.migrateAgain()
  await expectAsFresh(it.url, it.folder)
})

test('drops a function whose file left, also when its user changed with it', async () => {
  await using it = await setup({
    'functions/f.sql': aFunction('f() returns int'),
    'views/v.sql': 'create or replace view freshet.v as select freshet.f() as n;',
  })
  await it.folder.write({
    'functions/f.sql': null,
    'views/v.sql': 'create or replace view freshet.v as select 1 as n;',
  })
  expect(await it.plan()).toEqual(['re-apply views/v.sql', 'drop function f', 'forget functions/f.sql'])
  expect(await it.migrateAgain()).toMatchObject({ applied: ['views/v.sql'], dropped: ['function f'] })
  await expectAsFresh(it.url, it.folder)
})

test('refuses to drop what something else still needs, names it, and changes nothing', async () => {
  await using it = await setup({
    'functions/f.sql': aFunction('f() returns int'),
    'views/v.sql': 'create or replace view freshet.v as select freshet.f() as n;',
  })
  const before = await fingerprint(it.url)
  await it.folder.write({ 'functions/f.sql': aFunction('f() returns text', "select 'two'") })
  await expect(it.migrateAgain()).rejects.toMatchObject({
    code: 'MIGRATION_FAILED',
    file: 'functions/f.sql',
    message: expect.stringMatching(
      /cannot drop function freshet\.f\(\) because other objects depend on it\. Let a migration drop what depends on it: .*\nview freshet\.v depends on function freshet\.f\(\)/,
    ) as string,
  })
  expect(await fingerprint(it.url)).toBe(before)
  await it.folder.write({ 'functions/f.sql': null })
  await expect(it.migrateAgain()).rejects.toMatchObject({ code: 'MIGRATION_FAILED', file: 'function f' })
  expect(await fingerprint(it.url)).toBe(before)
})

test('brings back a view or trigger that a migration dropped on purpose', async () => {
  await using it = await setup({
    'functions/f.sql': aFunction('f() returns int'),
    'functions/tg.sql': triggerFunction('tg'),
    'views/v.sql': 'create or replace view freshet.v as select freshet.f() as n;',
    'triggers/t.sql': aTrigger('_100_a'),
  })
  await it.folder.write({
    'migrations/0002_drops.sql': 'drop view freshet.v; drop trigger _100_a on freshet.t;',
    'functions/f.sql': aFunction('f() returns text', "select 'two'"),
  })
  expect(await it.migrateAgain()).toMatchObject({ applied: ['functions/f.sql', 'views/v.sql', 'triggers/t.sql'] })
  expect(await it.ask('(select n from freshet.v)')).toBe('two')
})

test('drops a trigger that its file no longer has, and its function with it', async () => {
  await using it = await setup({
    'functions/tg.sql': triggerFunction('tg'),
    'functions/tg_old.sql': triggerFunction('tg_old'),
    'triggers/t.sql': aTrigger('_100_a') + aTrigger('_200_b').replace('tg()', 'tg_old()'),
  })
  await it.folder.write({ 'triggers/t.sql': aTrigger('_100_a'), 'functions/tg_old.sql': null })
  expect(await it.migrateAgain()).toMatchObject({ dropped: ['function tg_old', 'trigger _200_b on t'] })
  await expectAsFresh(it.url, it.folder)
  await it.folder.write({ 'triggers/t.sql': null })
  expect(await it.migrateAgain()).toMatchObject({ dropped: ['trigger _100_a on t'] })
  await expectAsFresh(it.url, it.folder)
})

test('replaces triggers, constraint triggers too, and lets them move between files', async () => {
  await using it = await setup({
    'functions/tg.sql': triggerFunction('tg'),
    'triggers/a.sql': aTrigger('_100_a') + aTrigger('_200_b', 'create constraint trigger'),
  })
  await it.folder.write({
    'triggers/a.sql': aTrigger('_100_a').replace('after update', 'before update'),
    'triggers/b.sql': aTrigger('_200_b', 'create constraint trigger').replace('after update', 'after insert'),
  })
  expect(await it.migrateAgain()).toMatchObject({ applied: ['triggers/a.sql', 'triggers/b.sql'], dropped: [] })
  await expectAsFresh(it.url, it.folder)
})

test("changes a trigger function's body under its trigger", async () => {
  await using it = await setup({ 'functions/tg.sql': triggerFunction('tg'), 'triggers/t.sql': aTrigger('_100_a') })
  await it.folder.write({ 'functions/tg.sql': triggerFunction('tg', 'return null;') })
  expect(await it.migrateAgain()).toMatchObject({ applied: ['functions/tg.sql'], dropped: [] })
  await expectAsFresh(it.url, it.folder)
})

test('replaces a view whose columns changed, and drops views whose files left', async () => {
  await using it = await setup({
    'views/a.sql': 'create or replace view freshet.a as select 1 as n, 2 as m;',
    'views/b.sql': 'create or replace view freshet.b as select m from freshet.c;',
    'views/c.sql': 'create or replace view freshet.c as select 2 as m;',
  })
  await it.folder.write({
    'views/a.sql': "create or replace view freshet.a as select 'x' as n;",
    'views/b.sql': null,
    'views/c.sql': null,
  })
  expect(await it.migrateAgain()).toMatchObject({ applied: ['views/a.sql'], dropped: ['view c', 'view b'] })
  await expectAsFresh(it.url, it.folder)
})

test('a function may move to another folder without being dropped', async () => {
  await using it = await setup({ 'functions/a/f.sql': aFunction('f() returns int') })
  await it.folder.write({ 'functions/a/f.sql': null, 'functions/b/f.sql': aFunction('f() returns int') })
  expect(await it.migrateAgain()).toMatchObject({ applied: ['functions/b/f.sql'], dropped: [] })
  await expectAsFresh(it.url, it.folder)
})

test('functions may call functions that come later, in either language', async () => {
  await using it = await setup({
    'functions/a.sql': aFunction('a() returns int', 'select freshet.z()'),
    'functions/z.sql': aFunction('z() returns int', 'select 26'),
  })
  expect(await it.ask('freshet.a()')).toBe(26)
})

test("leaves an operator's own function, view and trigger alone", async () => {
  await using it = await setup({ 'functions/tg.sql': triggerFunction('tg'), 'triggers/t.sql': aTrigger('_100_a') })
  await it.pool.query(`create view freshet.own as select 1 as n; ${aFunction('own() returns int')} ${aTrigger('own')}`)
  await it.folder.write({ 'triggers/t.sql': null })
  expect(await it.migrateAgain()).toMatchObject({ dropped: ['trigger _100_a on t'] })
  const { rows } = await it.pool.query("select tgname as name from pg_trigger where tgrelid = 'freshet.t'::regclass")
  expect(rows).toEqual([{ name: 'own' }])
  expect(await it.ask('(select freshet.own() from freshet.own)')).toBe(1)
})

test('names the line of a mistake in a body', async () => {
  await using it = await setup({ 'functions/f.sql': aFunction('f() returns int') })
  await it.folder.write({
    'functions/f.sql':
      '-- why\ncreate or replace function freshet.f() returns int language plpgsql as $$\nbegin\n  retrun 1;\nend $$;',
  })
  await expect(it.migrateAgain()).rejects.toMatchObject({ file: 'functions/f.sql', line: 4 })
})
