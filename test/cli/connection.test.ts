import { afterAll, expect, test } from 'vitest'
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts'
import { freePort } from '../../src/db/embedded/port.ts'
import { credentialKey, run, runJson } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const password = 'the-password-of-the-test'

/** The test's database as a user who does not exist. */
function strangerUrl(): string {
  const url = new URL(database.url)
  url.username = 'freshet_nobody'
  url.password = password
  return url.href
}

const commands = ['migrate', 'keys list', 'retailers import ../../examples/retailers.csv', 'psql', 'start']
const base = { CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey, PATH: process.env.PATH, PORT: '0' }

test.each(commands)('%s: a database that cannot be reached is one line with host and port', async (command) => {
  const port = await freePort()
  const env = { ...base, DATABASE_URL: `postgres://freshet:${password}@127.0.0.1:${port}/freshet` }
  const { code, out, err } = await run(command.split(' '), { env })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err.split('\n')).toEqual([
    `error [DATABASE_UNREACHABLE]: Postgres at 127.0.0.1:${port} cannot be reached: nothing listens there.`,
    'hint: Start Postgres there or correct DATABASE_URL; without one Freshet brings its own.',
    '',
  ])
})

test('a login that is refused names user and place, never the password, not even with a stack', async () => {
  const env = { ...base, DATABASE_URL: strangerUrl(), LOG_LEVEL: 'debug' }
  const { code, out, err } = await run(['keys', 'list'], { env })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(
    `error [DATABASE_LOGIN_REFUSED]: Postgres at ${new URL(database.url).host} refuses the user "freshet_nobody": `,
  )
  expect(err).toContain('\n    at ')
  expect(err).not.toContain(password)
})

test('a stack is shown only where LOG_LEVEL asks for it', async () => {
  const { err } = await run(['keys', 'list'], { env: { ...base, DATABASE_URL: strangerUrl() } })
  expect(err).not.toContain('\n    at ')
})

test('a database that does not exist is named', async () => {
  const url = new URL(database.url)
  url.pathname = '/freshet_nowhere'
  const { code, error } = await runJson(['keys', 'list'], { env: { ...base, DATABASE_URL: url.href } })
  expect(code).toBe(1)
  expect(error).toEqual({
    code: 'DATABASE_MISSING',
    message: `Postgres at ${url.host} has no database "freshet_nowhere".`,
    hint: 'Create it, or correct its name in DATABASE_URL.',
    problems: [],
  })
})

test('a password with a stray percent sign is not shown', async () => {
  const env = { ...base, DATABASE_URL: 'postgres://freshet:50%off@127.0.0.1:1/freshet', LOG_LEVEL: 'debug' }
  const { code, err } = await run(['keys', 'list'], { env })
  expect(code).toBe(1)
  expect(err).toContain(
    'error [DATABASE_UNREACHABLE]: Postgres at 127.0.0.1:1 cannot be reached: nothing listens there.\n',
  )
  expect(err).not.toContain('50%off')
})

test('a connection URL that names a missing file is explained', async () => {
  const url = new URL(database.url)
  url.search = '?sslmode=verify-full&sslrootcert=/nowhere/root.crt'
  const { code, error } = await runJson(['keys', 'list'], { env: { ...base, DATABASE_URL: url.href } })
  expect(code).toBe(1)
  expect(error).toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: expect.stringContaining('The Postgres connection URL cannot be used: ENOENT'),
    hint: 'Correct DATABASE_URL; files that it names must exist.',
  })
})

test('a database that is behind is not touched by a command that only uses it', async () => {
  await using empty = await createEmptyDatabase()
  const { code, error } = await runJson(['keys', 'list'], { env: { ...base, DATABASE_URL: empty.url } })
  expect(code).toBe(1)
  expect(error.code).toBe('MIGRATIONS_PENDING')
  expect(error.message).toMatch(/^The database is behind this program: \d+ steps are pending\.$/)
  expect(error.hint).toContain('"freshet migrate --dry-run" lists')
  expect((await empty.pool.query("select to_regnamespace('freshet') as schema")).rows).toEqual([{ schema: null }])
})
