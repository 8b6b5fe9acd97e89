import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { maxListBytes } from '../../src/cli/read-list.ts'
import { cloneDatabase } from '../support/database.ts'
import { aFolder, projectDir, run, runJson } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const env = { DATABASE_URL: database.url }
const examples = join(projectDir, 'examples')

const count = async (table: string) =>
  (await database.pool.query(`select count(*)::int as n from freshet.${table}`)).rows[0].n

test('the examples are tried, taken, and change nothing the second time; the audit log names the person', async () => {
  const io = { env, folder: examples }
  expect(await run(['retailers', 'import', 'retailers.csv', '--dry-run'], io)).toEqual({
    code: 0,
    out: '5 retailers: 5 created, 0 updated, 0 unchanged. This was a dry run: nothing was written.\n',
    err: '',
  })
  expect(await count('retailers')).toBe(0)
  expect(await run(['retailers', 'import', 'retailers.csv'], io)).toEqual({
    code: 0,
    out: '5 retailers: 5 created, 0 updated, 0 unchanged.\n',
    err: '',
  })
  expect(await runJson(['sources', 'import', 'sources.csv'], io)).toEqual({
    code: 0,
    answer: { rows: 7, created: 7, updated: 0, unchanged: 0, dryRun: false },
    error: undefined,
  })
  expect([await count('retailers'), await count('sources')]).toEqual([5, 7])
  expect((await runJson(['retailers', 'import', 'retailers.csv'], io)).answer).toMatchObject({
    created: 0,
    unchanged: 5,
  })
  expect((await runJson(['sources', 'import', 'sources.csv'], io)).answer).toMatchObject({ created: 0, unchanged: 7 })

  const { rows } = await database.pool.query('select distinct actor, action from freshet.audit_log order by action')
  const actor = `cli (${userInfo().username})`
  const actions = ['CREATE_RETAILER', 'CREATE_SOURCE', 'IMPORT_RETAILERS', 'IMPORT_SOURCES', 'SET_DISPLAY_PRIMARY']
  expect(rows).toEqual(actions.map((action) => ({ actor, action })))
})

test('a refusal names line and column of every problem, and nothing is written', async () => {
  const csv = 'name,website,colour\nGood,https://good.example,\nBad,ftp://bad.example,\n"Two\nlines",nonsense,\n'
  await using folder = await aFolder({ 'list.csv': csv })
  const before = await count('retailers')
  const { code, out, err } = await run(['retailers', 'import', 'list.csv'], { env, folder: folder.dir })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^error \[[A-Z_]+\]: list\.csv has 3 problems; nothing was written:$/m)
  expect(err).toMatch(/^ {2}line 1, column colour: is not a column of this table\. Known: /m)
  expect(err).toMatch(/^ {2}line 3, column website: must be an http or https URL/m)
  expect(err).toMatch(/^ {2}line 4, column website: must be an http or https URL/m)

  const { error } = await runJson(['retailers', 'import', 'list.csv'], { env, folder: folder.dir })
  expect(error.code).toBe('IMPORT_REFUSED')
  expect(error.problems.map(({ line, column }: { line: number; column: string }) => [line, column])).toEqual([
    [1, 'colour'],
    [3, 'website'],
    [4, 'website'],
  ])
  expect(await count('retailers')).toBe(before)
})

test('a place is shown as it is, whatever stands in the header', async () => {
  await using folder = await aFolder({ 'list.csv': 'name,"odd: x\ncsv: y"\nA,\n' })
  const { error } = await runJson(['retailers', 'import', 'list.csv'], { env, folder: folder.dir })
  const column = 'odd: x\ncsv: y'
  const message = 'is not a column of this table. Known: name, slug, website, logo_url, tier.'
  expect(error.problems).toEqual([{ line: 1, column, message }])
  expect(error.message).toBe(`list.csv has a problem; nothing was written:\n  line 1, column ${column}: ${message}`)
})

test('a long refusal shows the first hundred problems and how many there are', async () => {
  await using folder = await aFolder({ 'list.csv': `name,slug\n${'A,BAD\n'.repeat(102)}` })
  const { error } = await runJson(['retailers', 'import', 'list.csv'], { env, folder: folder.dir })
  expect(error.problems).toHaveLength(100)
  const lines = error.message.split('\n')
  expect(lines[0]).toBe('list.csv has 102 problems; nothing was written:')
  expect(lines.at(-1)).toBe('… and 2 more.')
  expect(lines).toHaveLength(102)
})

test('a source without a retailer is refused by its line', async () => {
  await using folder = await aFolder({ 'list.csv': 'name,retailer\nPages,nobody\n' })
  const { code, error } = await runJson(['sources', 'import', 'list.csv'], { env, folder: folder.dir })
  expect(code).toBe(1)
  expect(error.problems).toEqual([{ line: 2, column: 'retailer', message: 'there is no retailer "nobody".' }])
})

test('a broken table is refused by its line, an empty one as a whole', async () => {
  await using folder = await aFolder({ 'broken.csv': 'name\n"open\n', 'empty.csv': 'name\n' })
  const broken = await run(['retailers', 'import', 'broken.csv'], { env, folder: folder.dir })
  expect(broken.code).toBe(1)
  expect(broken.err).toMatch(/^ {2}line 2: .*Quote Not Closed/m)
  const empty = await run(['retailers', 'import', 'empty.csv'], { env, folder: folder.dir })
  expect(empty.code).toBe(1)
  expect(empty.err).toContain('  the file has no row below its header.\n')
})

test.each([
  ['nowhere.csv', 'there is no such file'],
  ['.', 'it is a folder'],
  ['latin.csv', 'it is not UTF-8'],
])('%s cannot be read: %s', async (file, reason) => {
  await using folder = await aFolder()
  await writeFile(join(folder.dir, 'latin.csv'), Buffer.from('name\nM\xf6bel\n', 'latin1'))
  const { code, error } = await runJson(['retailers', 'import', file], { env, folder: folder.dir })
  expect(code).toBe(1)
  expect(error).toMatchObject({ code: 'FILE_UNREADABLE', message: `${file} cannot be read: ${reason}.` })
})

test('a list of 64 MB is read, one byte more is not', async () => {
  await using folder = await aFolder({ 'large.csv': '' })
  const file = join(folder.dir, 'large.csv')
  await truncate(file, maxListBytes)
  const read = await runJson(['retailers', 'import', 'large.csv'], { env, folder: folder.dir })
  expect(read.error.code).toBe('IMPORT_REFUSED')
  await truncate(file, maxListBytes + 1)
  const { error } = await runJson(['retailers', 'import', 'large.csv'], { env, folder: folder.dir })
  expect(error).toMatchObject({
    code: 'FILE_UNREADABLE',
    message: 'large.csv cannot be read: it has more than 64 MB.',
    hint: 'Split it.',
  })
})

test('what has no end is not begun: a device is refused', async () => {
  const { code, error } = await runJson(['retailers', 'import', '/dev/null'], { env })
  expect({ code, message: error.message }).toEqual({
    code: 1,
    message: '/dev/null cannot be read: it is neither a file nor a pipe.',
  })
})

test('a pipe is read to its end, but not further than 64 MB', async () => {
  await using folder = await aFolder()
  const pipe = join(folder.dir, 'pipe')
  spawnSync('mkfifo', [pipe])
  const written = createWriteStream(pipe)
  written.write('name\n')
  written.end('From a pipe\n')
  const io = { env, folder: folder.dir }
  expect(await runJson(['retailers', 'import', 'pipe'], io)).toMatchObject({ code: 0, answer: { rows: 1 } })

  const endless = createWriteStream(pipe)
  endless.on('error', () => {}) // nobody reads any more
  const part = Buffer.alloc(1_000_000, 'x')
  const pour = () => {
    while (!endless.destroyed && endless.write(part));
  }
  endless.on('drain', pour)
  pour()
  const { error } = await runJson(['retailers', 'import', 'pipe'], io)
  endless.destroy()
  expect(error.message).toBe('pipe cannot be read: it has more than 64 MB.')
})

test('a command that waits for a pipe stops when it is told to', async () => {
  await using folder = await aFolder()
  spawnSync('mkfifo', [join(folder.dir, 'pipe')])
  const stop = new AbortController()
  const waiting = run(['retailers', 'import', 'pipe'], { env, folder: folder.dir, signal: stop.signal })
  setImmediate(() => stop.abort('SIGTERM'))
  expect(await waiting).toEqual({ code: 130, out: '', err: 'Stopped.\n' })
})
