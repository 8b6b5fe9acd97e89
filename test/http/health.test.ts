import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { readSqlFiles } from '../../src/db/migrate/files.ts'
import { readConfig } from '../../src/config.ts'
import { openHttp } from '../../src/http/server.ts'
import { createReadiness } from '../../src/http/health.ts'
import { createLog } from '../../src/log.ts'
import { makeQueue } from '../support/queue.ts'
import { cloneDatabase } from '../support/database.ts'
import { startTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { cutOff } from './cut-off.ts'
import { watchStatements } from '../support/statements.ts'

const { statements } = watchStatements()
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
await database.pool.query('select freshet.tick()')
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, database })
afterAll(() => app[Symbol.asyncDispose]())
const worker = await startTestApp({ env: { FRESHET_ROLE: 'worker' } })
afterAll(() => worker[Symbol.asyncDispose]())

const migrations = (await readSqlFiles()).migrations.map(({ name }) => name)
const newest = migrations.at(-1) ?? ''
const ready = async (url = app.url) => {
  const response = await fetch(`${url}/readyz`)
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: (await response.json()) as object,
  }
}
const isReady = {
  status: 200,
  type: 'application/json',
  body: { status: 'ready', checks: { database: 'ok', migrations: 'ok', clock: 'ok' } },
}

beforeEach(() => void (statements.length = 0))

test('a process that is still starting lives, and is not ready', async () => {
  const { config } = readConfig({ PORT: '0' })
  await using http = await openHttp(config, createLog({ level: 'silent' }))
  expect((await fetch(`${http.url}/healthz`)).status).toBe(200)
  expect(await ready(http.url)).toMatchObject({ status: 503, body: { checks: { process: 'is starting' } } })
  const early = await fetch(`${http.url}/graphql`)
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '1'])
})

test('/healthz says that the process lives, and asks nobody', async () => {
  const response = await fetch(`${app.url}/healthz`)
  expect([response.status, response.headers.get('cache-control'), await response.json()]).toEqual([
    200,
    'no-store',
    { status: 'ok' },
  ])
  expect(statements).toEqual([])
})

test('/readyz looks at the database and its migrations, with one cheap statement each over the pool', async () => {
  expect(await ready()).toEqual(isReady)
  expect(statements).toEqual([
    'select 1',
    'select name from unnest($1::text[]) as needed (name) where name not in (select name from freshet.migrations)',
  ])
})

test('many who ask at once share one look', async () => {
  let looks = 0
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  const run = () => (looks++, answered)
  const readiness = createReadiness([{ name: 'part', run }], createLog({ level: 'silent' }))
  const asked = Array.from({ length: 50 }, readiness)
  answer(undefined)
  for (const result of await Promise.all(asked)) expect(result).toEqual({ parts: { part: 'ok' }, failing: [] })
  expect(looks).toBe(1)
  await readiness()
  expect(looks).toBe(2)
})

test('a part that does not answer is not waited for', async () => {
  const readiness = createReadiness(
    [{ name: 'part', run: () => new Promise(() => {}) }],
    createLog({ level: 'silent' }),
  )
  vi.useFakeTimers()
  const asked = readiness()
  await vi.advanceTimersByTimeAsync(2_000)
  vi.useRealTimers()
  expect(await asked).toEqual({ parts: { part: 'no answer within 2 s' }, failing: ['part'] })
})

test('a database that lacks a migration of this program is named, with what to do', async () => {
  await app.pool.query('delete from freshet.migrations where name = $1', [newest])
  const { status, type, body } = await ready()
  await app.pool.query('insert into freshet.migrations (name, run_on) values ($1, now())', [newest])
  expect({ status, type }).toEqual({ status: 503, type: 'application/problem+json' })
  expect(body).toEqual({
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    detail: 'Not ready: migrations.',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    checks: { database: 'ok', migrations: `the database lacks ${newest}: run "freshet migrate"`, clock: 'ok' },
  })
  expect(await ready()).toEqual(isReady)
})

test('a database that a newer program has migrated keeps the older one in service', async () => {
  await app.pool.query("insert into freshet.migrations (name, run_on) values ('9999_from_the_future', now())")
  expect(await ready()).toEqual(isReady)
  await app.pool.query("delete from freshet.migrations where name = '9999_from_the_future'")
})

test('a part that fails is named, and no message of Postgres gets out', async () => {
  await app.pool.query('alter table freshet.migrations rename to migrations_away')
  const { status, body } = await ready()
  await app.pool.query('alter table freshet.migrations_away rename to migrations')
  expect(status).toBe(503)
  expect(body).toMatchObject({ checks: { database: 'ok', migrations: 'failed with 42P01' } })
  expect(app.log.filter((line) => line.includes('relation \\"freshet.migrations\\" does not exist'))).toHaveLength(1)
})

test('a worker that answers no GraphQL is asked in the same way', async () => {
  expect(await ready(worker.url)).toEqual(isReady)
  expect((await fetch(`${worker.url}/healthz`)).status).toBe(200)
  for (const path of ['/graphql', '/']) expect((await fetch(worker.url + path)).status).toBe(404)
})

test('without a database the process is alive and not ready; when it is back, it is ready again', async () => {
  const open = await cutOff(app.database.url)
  const { status, body } = await ready()
  const alive = await fetch(`${app.url}/healthz`)
  await open()
  expect(alive.status).toBe(200)
  expect(status).toBe(503)
  expect(body).toMatchObject({ detail: 'Not ready: database, migrations.' })
  expect(JSON.stringify(body)).not.toMatch(/freshet_test|127\.0\.0\.1|postgres|not currently accepting/)
  await until('it is ready again', async () => (await ready()).status === 200)
})

test('RULINGS 8: a late clock is told in the body, and keeps the process in service', async () => {
  await makeQueue(app.pool, 'notify')
  await app.pool.query(
    "update freshet.clock set driver = 'worker gone:1', last_tick_at = now() - interval '10 minutes', lease_until = now()",
  )
  await using api = await startTestApp({ env: { FRESHET_ROLE: 'api' }, database: app.database })
  const clock = 'late: the last tick was 600 s ago, by worker gone:1; start a worker, and look at its log'
  expect(await ready(api.url)).toEqual({
    ...isReady,
    body: { status: 'ready', checks: { database: 'ok', migrations: 'ok', clock } },
  })
})
