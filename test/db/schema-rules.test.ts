import { globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ownSqlDir, readSqlFiles } from '../../src/db/migrate/files.ts'
import { splitStatements } from '../../src/db/migrate/statements.ts'
import { snapshotPath, takeSnapshot } from '../../src/db/snapshot.ts'
import { cloneDatabase } from '../support/database.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const files = await readSqlFiles()
const functionFiles = files.replaceables.filter(({ kind }) => kind === 'function')

/** Functions that the planner must inline: sql/README.md lists them as "- `name`: why" under a heading. */
const readme = await readFile(join(ownSqlDir, 'README.md'), 'utf8')
const section = readme.split('## Inlined functions')[1]?.split('\n## ')[0] ?? ''
const inlined = Array.from(section.matchAll(/^- `(\w+)`/gm), ([, name]) => name ?? '')

const rowsOf = async <Row extends object>(sql: string): Promise<Row[]> => (await database.pool.query<Row>(sql)).rows

test('the kept snapshot is what the SQL files make, on this version of Postgres too', async () => {
  expect(await takeSnapshot(database.url)).toBe(await readFile(snapshotPath, 'utf8'))
})

test('the functions of the database are those of the files', async () => {
  const functions = await rowsOf<{ name: string }>(
    "select proname as name from pg_proc where pronamespace = 'freshet'::regnamespace",
  )
  // Those that a column, constraint or index uses live in migrations.
  const inMigrations = files.migrations.flatMap(({ text }) =>
    splitStatements(text).flatMap(
      ({ plain }) => /^create (?:or replace )?function freshet\.(\w+)/i.exec(plain)?.[1] ?? [],
    ),
  )
  const inFiles = functionFiles.flatMap(({ objects }) => objects.map((object) => object.replace('function ', '')))
  expect(functions.map(({ name }) => name).toSorted()).toEqual([...inFiles, ...inMigrations].toSorted())
})

test('every foreign key says what a deletion does', async () => {
  const silent = await rowsOf(
    "select conrelid::regclass::text as table, conname from pg_constraint where connamespace = 'freshet'::regnamespace and contype = 'f' and confdeltype = 'a'",
  )
  expect(silent).toEqual([])
})

test('every foreign key has an index that begins with its columns and holds every row', async () => {
  const unindexed = await rowsOf(`
    select conrelid::regclass::text as table, conname from pg_constraint k
    where connamespace = 'freshet'::regnamespace and contype = 'f' and not exists (
      select from pg_index i
      where i.indrelid = k.conrelid and i.indpred is null
        and (i.indkey::int2[])[0 : cardinality(k.conkey) - 1] @> k.conkey
    )`)
  expect(unindexed).toEqual([])
})

test('there are foreign keys to look at', async () => {
  const [counted] = await rowsOf<{ count: number }>(
    "select count(*)::int as count from pg_constraint where connamespace = 'freshet'::regnamespace and contype = 'f'",
  )
  expect(counted?.count).toBeGreaterThanOrEqual(2)
})

test.each(functionFiles.map(({ path, statements }) => [path, statements[0]?.plain ?? '']))(
  '%s states its volatility',
  (_path, plain) => {
    const head = plain.split(/ as \$/i)[0] ?? ''
    expect(head).toMatch(/\b(?:volatile|stable|immutable)\b/i)
  },
)

test('every function has a fixed search_path, but for those that are inlined', async () => {
  const open = await rowsOf<{ name: string }>(
    `select proname as name from pg_proc where pronamespace = 'freshet'::regnamespace and not coalesce(proconfig, '{}') @> '{"search_path=\\"\\""}' order by 1`,
  )
  expect(open.map(({ name }) => name)).toEqual(inlined.toSorted())
})

test('every function file begins with what it does and who calls it', () => {
  const bare = functionFiles.filter(
    ({ text }) => !/^-- \S/.test(text) || !/^--.* Called by: |^-- Called by: /m.test(text),
  )
  expect(bare.map(({ path }) => path)).toEqual([])
})

/** Who calls a function, as its header says: up to the end of that sentence. */
const callersOf = (text: string) =>
  /Called by: (.*?)\.(?: [A-Z]|$)/.exec(text.match(/^(?:--.*\n)+/)?.[0].replaceAll(/\s*\n--/g, '') ?? '')?.[1] ?? ''

const called = functionFiles.map(({ path, text }) => ({ name: basename(path, '.sql'), text, callers: callersOf(text) }))
// What stands in a comment or in quotes is not a call.
const calls = (text: string, name: string) => text.replaceAll(/--.*|'[^'\n]*'/g, '').includes(`freshet.${name}(`)

test('a function that a header names as a caller does call', () => {
  const textOf = new Map(called.map(({ name, text }) => [name, text]))
  const untrue = called.flatMap(({ name, callers }) => {
    const named = callers.split(/[,;] (?:and )?| and /).map((caller) => caller.split(' ')[0] ?? '')
    return named
      .filter((caller) => textOf.has(caller) && !calls(textOf.get(caller) ?? '', name))
      .map((caller) => `${caller} does not call ${name}`)
  })
  expect(untrue).toEqual([])
})

/** What a file says, and the statements that it reads from files of their own. */
const said = (text: string) =>
  [text, ...Array.from(text.matchAll(/readQuery\('(\w+)'\)/g), ([, name]) => queryText(name ?? ''))].join('\n')
const queryText = (name: string) => readFileSync(`sql/queries/${name}.sql`, 'utf8')

test('a path that a header names as a caller is there and speaks of the function', () => {
  const named = called.flatMap(({ name, callers }) =>
    Array.from(callers.matchAll(/\b(?:src|tools|bench)\/[\w./-]*\w/g), ([path]) => ({ name, path })),
  )
  expect(named.length).toBeGreaterThan(15)
  const untrue = named.filter(({ name, path }) => {
    const files = path.endsWith('.ts') ? globSync(path) : globSync(`${path}/**/*.ts`)
    return !files.some((file) => said(readFileSync(file, 'utf8')).includes(name))
  })
  expect(untrue).toEqual([])
})

test('a header leaves out no function that calls, unless it speaks of functions in general', () => {
  const silent = called.flatMap(({ name, callers }) =>
    called
      .filter((caller) => caller.name !== name && calls(caller.text, name))
      .filter((caller) => !new RegExp(`\\b${caller.name}\\b|functions?\\b`).test(callers))
      .map((caller) => `${name} does not name ${caller.name}`),
  )
  expect(silent).toEqual([])
})

test('a header leaves out no file that calls, unless it says in words who does', () => {
  const names = new Set(called.map(({ name }) => name))
  const files = globSync('src/**/*.ts').filter((path) => !/\/generated\/|^src\/cli\/demo\//.test(path))
  const texts = files.map((path) => ({
    path,
    text: said(readFileSync(path, 'utf8')).replaceAll(/--.*|\/\/.*|^ *\/?\*.*/gm, ''),
  }))
  const silent = called.flatMap(({ name, callers }) => {
    const parts = callers.split(/[,;] (?:and )?| and /).map((part) => part.split(' ')[0] ?? '')
    const inWords = parts.some((part) => !part.startsWith('src/') && !names.has(part))
    if (inWords) return []
    return texts
      .filter(({ path, text }) => text.includes(`freshet.${name}(`) && !parts.some((part) => path.startsWith(part)))
      .map(({ path }) => `${name} does not name ${path}`)
  })
  expect(silent).toEqual([])
})

test('nothing of ours lies outside the schemas freshet and pgboss', async () => {
  const strays = await rowsOf(
    "select relname from pg_class where relnamespace = 'public'::regnamespace union all select proname from pg_proc where pronamespace = 'public'::regnamespace",
  )
  expect(strays).toEqual([])
})
