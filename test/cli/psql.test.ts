import { chmod, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { connectionVariables } from '../../src/cli/psql.ts'
import { cloneDatabase } from '../support/database.ts'
import { aFolder, run, runJson } from './stand.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const url = new URL(database.url)
url.password ||= 'of-the-test' // the server of the tests may not ask for one

/** A stand-in for psql that writes down its arguments and what it would connect to. */
async function aPsql(exitCode = 0) {
  const folder = await aFolder()
  const script = `#!/bin/sh
printf '%s\\n' "$@" > '${folder.dir}/arguments'
env > '${folder.dir}/environment'
exit ${exitCode}
`
  await writeFile(join(folder.dir, 'psql'), script)
  await chmod(join(folder.dir, 'psql'), 0o755)
  const lines = async (name: string) => (await readFile(join(folder.dir, name), 'utf8')).trimEnd().split('\n')
  return { ...folder, path: [folder.dir, process.env.PATH].join(delimiter), lines }
}

test('hands its arguments on and the password by the environment only', async () => {
  await using psql = await aPsql()
  const env = { PATH: psql.path, DATABASE_URL: url.href, PGSERVICE: 'elsewhere', PGHOSTADDR: '192.0.2.1' }
  const argv = ['psql', '--csv', '-c', 'select 1', '-h', 'elsewhere', '-V']
  expect(await run(argv, { env })).toEqual({ code: 0, out: '', err: '' })
  expect(await psql.lines('arguments')).toEqual(argv.slice(1))
  const { hostname, port, username, password, pathname } = url
  const given = await psql.lines('environment')
  expect(given).toEqual(
    expect.arrayContaining([
      `PGHOST=${hostname}`,
      `PGPORT=${port}`,
      `PGUSER=${username}`,
      `PGPASSWORD=${password}`,
      `PGDATABASE=${pathname.slice(1)}`,
    ]),
  )
  expect(given.filter((line) => /^PG(SERVICE|HOSTADDR)=/.test(line))).toEqual([])
})

test('passes on how psql ended', async () => {
  await using psql = await aPsql(3)
  const { code } = await run(['psql', '-c', 'nonsense'], { env: { PATH: psql.path, DATABASE_URL: url.href } })
  expect(code).toBe(3)
})

test('says what to install where there is no psql', async () => {
  await using folder = await aFolder()
  const { code, error } = await runJson(['psql'], { env: { PATH: folder.dir, DATABASE_URL: url.href } })
  expect(code).toBe(1)
  expect(error).toMatchObject({ code: 'PSQL_MISSING', message: 'There is no psql on the PATH.' })
  expect(error.hint).toContain('postgresql-client')
})

test('a URL becomes the variables that libpq knows; others are left out', () => {
  const given = 'postgres://me:a%40b@[::1]:6432/shop%20floor?sslmode=require&schema=freshet'
  expect(connectionVariables(given)).toEqual({
    PGAPPNAME: 'freshet psql',
    PGHOST: '::1',
    PGPORT: '6432',
    PGUSER: 'me',
    PGPASSWORD: 'a@b',
    PGDATABASE: 'shop floor',
    PGSSLMODE: 'require',
  })
  expect(connectionVariables('postgres://me:50%off@db/shop')).toMatchObject({ PGPASSWORD: '50%off' })
  expect(connectionVariables('postgres:///shop?host=/run/postgresql')).toMatchObject({ PGHOST: '/run/postgresql' })
})
