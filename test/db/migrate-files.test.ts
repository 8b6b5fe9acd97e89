import { expect, test } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import { sqlFolder } from './fixtures/sql-folder.ts'

const aFunction = (name: string) =>
  `create or replace function freshet.${name}() returns int language sql stable as $$ select 1 $$;\n`

async function problemsOf(files: Record<string, string>): Promise<string[]> {
  await using folder = await sqlFolder(files)
  const error: unknown = await readSqlFiles(folder.dir).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return []
  expect(error).toMatchObject({ code: 'SQL_FILES_INVALID' })
  return (error as Error).message.split('\n').slice(1)
}

test('reads migrations in order and says what each other file defines', async () => {
  await using folder = await sqlFolder({
    'migrations/0002_b.sql': 'select 2;',
    'migrations/0001_a.sql': 'select 1;',
    'functions/area/one.sql': aFunction('one'),
    'views/b_view.sql': 'create or replace view freshet.b_view as select 1 as n;',
    'views/a_view.sql': 'create or replace view freshet.a_view as select n from freshet.b_view;',
    'triggers/area.sql': `create or replace trigger _100_x before update on freshet.t for each row execute function freshet.one();
      create constraint trigger _200_y after insert or update of a on freshet.u for each row execute function freshet.one();`,
  })
  const files = await readSqlFiles(folder.dir)
  expect(files.migrations.map(({ name }) => name)).toEqual(['0001_a', '0002_b'])
  expect(files.replaceables.map(({ path, objects }) => [path, objects])).toEqual([
    ['functions/area/one.sql', ['function one']],
    ['views/b_view.sql', ['view b_view']], // a_view reads it
    ['views/a_view.sql', ['view a_view']],
    ['triggers/area.sql', ['trigger _100_x on t', 'trigger _200_y on u']],
  ])
})

test('gives a file the same hash whatever its line ends', async () => {
  await using unix = await sqlFolder({ 'functions/one.sql': aFunction('one') })
  await using windows = await sqlFolder({ 'functions/one.sql': aFunction('one').replaceAll('\n', '\r\n') })
  const hashOf = async (dir: string) => (await readSqlFiles(dir)).replaceables[0]?.hash
  expect(await hashOf(unix.dir)).toBe(await hashOf(windows.dir))
})

test('refuses a function whose name is not its file name', async () => {
  expect(await problemsOf({ 'functions/area/one.sql': aFunction('two') })).toEqual([
    'functions/area/one.sql: holds one function, freshet.one, and nothing else',
  ])
})

test('refuses a second statement in a function file', async () => {
  expect(await problemsOf({ 'functions/one.sql': `${aFunction('one')}select 1;` })).toEqual([
    'functions/one.sql, line 2: only "create or replace function freshet.…" belongs in functions/',
    'functions/one.sql: holds one function, freshet.one, and nothing else',
  ])
})

test('refuses one function in two files, and two migrations of one number', async () => {
  const files = { 'functions/a/one.sql': aFunction('one'), 'functions/b/one.sql': aFunction('one') }
  expect(await problemsOf({ ...files, 'migrations/0001_a.sql': '', 'migrations/0001_b.sql': '' })).toEqual([
    'migrations/0001_b.sql: number 0001 is already in migrations/0001_a.sql',
    'functions/b/one.sql: function one is already in functions/a/one.sql',
  ])
})

test('refuses anything but triggers in a trigger file', async () => {
  expect(await problemsOf({ 'triggers/area.sql': '\ndrop trigger x on freshet.t;' })).toEqual([
    'triggers/area.sql, line 2: only "create or replace trigger … on freshet.…" belongs in triggers/',
  ])
})

test('refuses a migration that adds an enum value and does something else', async () => {
  const addsValue = "alter type freshet.kind add value if not exists 'X';"
  expect(await problemsOf({ 'migrations/0001_a.sql': `${addsValue}\n${addsValue}` })).toEqual([])
  expect(await problemsOf({ 'migrations/0001_a.sql': `-- why\n${addsValue}\nselect 1;` })).toEqual([
    'migrations/0001_a.sql, line 3: a migration that adds a value to an enum holds nothing else; move this to the next migration',
  ])
})

test('refuses a file that begins or ends a transaction', async () => {
  expect(await problemsOf({ 'migrations/0001_a.sql': 'begin;\nselect 1;\ncommit;' })).toEqual([
    "migrations/0001_a.sql, line 1: the transaction is not the file's to begin or end; take this out",
    "migrations/0001_a.sql, line 3: the transaction is not the file's to begin or end; take this out",
  ])
})

test('refuses a migration without a number and a file that is not SQL', async () => {
  expect(await problemsOf({ 'migrations/first.sql': '', 'triggers/notes.md': '' })).toEqual([
    'migrations/first.sql: a migration is named like 0001_what_it_does.sql',
    'triggers/notes.md: only .sql files belong here',
  ])
})
