import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runServer } from '../src/main.ts'
import { cloneDatabase, createEmptyDatabase, type TestDatabase } from './support/database.ts'
import { createTestRole } from './support/role.ts'
import { until } from './support/until.ts'

const credentialKey = Buffer.alloc(32, 7).toString('base64')
const connectionsOf = async ({ pool }: TestDatabase, name: string) => {
  const { rowCount } = await pool.query(
    'select from pg_stat_activity where datname = current_database() and application_name = $1',
    [name],
  )
  return rowCount ?? 0
}

/** The server as `freshet start` runs it, until it is stopped. */
async function serve(databaseUrl: string, { isTTY = false, ...env }: Record<string, string | boolean> = {}) {
  const stop = new AbortController()
  const out = Object.assign(new PassThrough(), { isTTY: Boolean(isTTY) })
  let said = ''
  out.on('data', (chunk) => (said += String(chunk)))
  const settings = { DATABASE_URL: databaseUrl, CREDENTIAL_ENCRYPTION_KEY_B64: credentialKey, PORT: '0' }
  const running = runServer({ ...settings, ...(env as Record<string, string>) }, { out, signal: stop.signal })
  await Promise.race([running, until('it is ready', () => said.includes('Freshet is ready.'))])
  return {
    said: () => said,
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '',
    async stop() {
      stop.abort('the test')
      await running
      return said
    },
  }
}

test('the first start shows where GraphiQL is and the first key; the second shows no key', async () => {
  await using database = await cloneDatabase()
  const first = await (await serve(database.url, { LOG_LEVEL: 'silent' })).stop()
  expect(first).toMatch(/^ {2}GraphiQL {3}http:\/\/127\.0\.0\.1:\d+\/graphql$/m)
  expect(first).toMatch(/^ {2}Postgres {3}\S+$/m)
  expect(first).toMatch(/^ {2}Schedules {2}\S.+$/m)
  expect(first).toMatch(/^ {2}Admin key {2}frs_[\w-]{43}$/m)
  const second = await (await serve(database.url, { LOG_LEVEL: 'silent' })).stop()
  expect(second).toContain('GraphiQL')
  expect(second).not.toMatch(/Admin key|frs_/)
})

test('it holds a connection to the queue while it runs, and none afterwards', async () => {
  await using database = await cloneDatabase()
  const server = await serve(database.url, { LOG_LEVEL: 'silent' })
  expect(await connectionsOf(database, 'freshet:queue')).toBeGreaterThan(0)
  await server.stop()
  await until('none is left', async () => (await connectionsOf(database, 'freshet:queue')) === 0)
})

test('on a terminal the log is for people, elsewhere for machines', async () => {
  await using database = await cloneDatabase()
  expect(await (await serve(database.url, { isTTY: true })).stop()).toMatch(/INFO.*stopping/)
  expect(await (await serve(database.url)).stop()).toMatch(/^\{"level":"info".*"msg":"stopping"\}$/m)
})

test('a first start tells what it is about to do, with counts; the files one by one are for debugging', async () => {
  const step = /"msg":"bringing the database up to date: the queue, \d+ migrations, \d+ SQL files"/
  const done = /"migrations":\d+,"applied":\d+,"dropped":0,"msg":"the database was brought up to date"/
  await using database = await createEmptyDatabase()
  const first = await (await serve(database.url)).stop()
  expect(first.search(step)).toBeGreaterThan(-1)
  expect(first.search(step)).toBeLessThan(first.search(done))
  expect(first).not.toMatch(/\.sql|0001_/)
  expect(await (await serve(database.url)).stop()).not.toMatch(/up to date/)
  await using other = await createEmptyDatabase()
  const debugging = await (await serve(other.url, { LOG_LEVEL: 'debug' })).stop()
  expect(debugging).toMatch(/"migrations":\["0001_.*"msg":"what was run"/)
})

test('S14: no secret of its environment is ever logged', async () => {
  await using database = await cloneDatabase()
  const webhook = 'https://hooks.example/services/canary-webhook'
  const server = await serve(database.url, {
    SLACK_WEBHOOK_URL: webhook,
    APIFY_TOKEN: 'canary-token',
    LOG_LEVEL: 'trace',
  })
  for (const secret of ['canary-token', credentialKey, webhook])
    await fetch(`${server.url}/seen/${encodeURI(secret)}/${secret}`)
  const said = await server.stop()
  expect(said.match(/\/seen\/\*{8}\/\*{8}/g)).toHaveLength(3)
  expect(said).not.toMatch(/canary/)
  expect(said).not.toContain(credentialKey)
})

test('a role without DDL rights runs the program on a database that is up to date', async () => {
  await using database = await cloneDatabase()
  await using role = await createTestRole(database)
  await database.pool.query('select freshet.grant_runtime($1)', [role.name])
  const server = await serve(role.url, { FRESHET_MIGRATE: 'false', LOG_LEVEL: 'warn' })
  const key = /frs_[\w-]{43}/.exec(server.said())?.[0]
  const answer = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: 'mutation { createRetailer(input: { name: "Shop" }) { slug } }' }),
  })
  expect(await answer.json()).toEqual({ data: { createRetailer: { slug: 'shop' } } })
  expect((await database.pool.query('select driver from freshet.clock')).rows).toEqual([
    { driver: expect.stringMatching(/^worker /) },
  ])
  expect(server.said()).toMatch(/^ {2}Schedules {2}this process's own clock/m)
  expect(server.said()).not.toContain('freshet migrate')
  expect(await server.stop()).not.toMatch(/"level":"(warn|error)"/)
})

test('without the right to migrate it refuses a database that is behind', async () => {
  await using database = await createEmptyDatabase()
  await expect(serve(database.url, { FRESHET_MIGRATE: 'false' })).rejects.toMatchObject({ code: 'MIGRATIONS_PENDING' })
  expect((await database.pool.query("select from pg_namespace where nspname = 'freshet'")).rowCount).toBe(0)
})
