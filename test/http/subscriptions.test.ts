import { connect } from 'node:net'
import { createClient } from 'graphql-sse'
import pg from 'pg'
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { startTestApp, type Answer } from '../support/app.ts'
import { until } from '../support/until.ts'
import { createTrial } from './trial-schema.ts'

const trial = createTrial()
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, schema: trial.schema })
afterAll(() => app[Symbol.asyncDispose]())

/** Subscribes as a client would; `results` grows, and `over` says how many came when the server is done. */
function subscribe(key: string | undefined, query = 'subscription { events }') {
  const client = createClient({
    url: app.endpoint,
    retryAttempts: 0,
    headers: key ? { authorization: `Bearer ${key}` } : {},
  })
  const results: Answer[] = []
  const { promise: over, resolve, reject } = Promise.withResolvers<number>()
  const leave = client.subscribe(
    { query },
    {
      next: (result) => void results.push(result as unknown as Answer),
      error: reject,
      complete: () => resolve(results.length),
    },
  )
  return { results, over, leave }
}

const subscribers = async () =>
  Number(/^freshet_subscribers (\d+)$/m.exec(await (await fetch(`${app.url}/metrics`)).text())?.[1])
const begun = (count = 1) => until('the subscription begins', async () => (await subscribers()) === count)
const gone = () => until('nothing is left', async () => (await subscribers()) === 0 && trial.subscribers.size === 0)
const change = (key: string, sql: string) =>
  app.pool.query(`update freshet.api_keys set ${sql} where prefix = $1`, [key.slice(0, 12)])
const lastWords = (code: string, message: string) => ({
  errors: [expect.objectContaining({ message, extensions: expect.objectContaining({ code }) as unknown })],
})

afterEach(gone)

test('events arrive in order, over GET and over POST', async () => {
  const { results, leave } = subscribe(await app.keyWith('READ'))
  const got = await fetch(`${app.endpoint}?query=subscription{events}`, {
    headers: { accept: 'text/event-stream', 'x-freshet-csrf': '1' },
  })
  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await begun(2)
  for (const event of ['a', 'b', 'c']) trial.push(event)
  await until('three events', () => results.length === 3)
  expect(results).toEqual(['a', 'b', 'c'].map((events) => ({ data: { events } })))
  leave()
  await got.body?.cancel()
})

test('a wrong key cannot subscribe', async () => {
  const response = await app.post(
    { query: 'subscription { events }' },
    { key: 'nope', headers: { accept: 'text/event-stream' } },
  )
  expect(response.status).toBe(401)
  expect(await response.text()).toContain('"code":"INVALID_KEY"')
})

test('a key that is revoked loses its open subscriptions at once, and others keep theirs', async () => {
  const [revoked, kept] = [await app.keyWith('READ'), await app.keyWith('READ')]
  const [ends, stays] = [subscribe(revoked), subscribe(kept)]
  await begun(2)
  const started = performance.now()
  await change(revoked, 'revoked_at = now()')
  await ends.over
  expect(performance.now() - started).toBeLessThan(1000)
  expect(ends.results).toEqual([lastWords('INVALID_KEY', 'The key was revoked.')])
  trial.push('still here')
  await until('the other goes on', () => stays.results.length === 1)
  stays.leave()
})

test('a revocation that nobody could hear ends the subscription when the connection is back', async () => {
  const key = await app.keyWith('READ')
  const { results, over } = subscribe(key)
  await begun()
  const admin = new pg.Client(inject('postgres').url)
  await admin.connect()
  const allowConnections = (isAllowed: boolean) =>
    admin.query(
      `alter database ${new URL(app.database.url).pathname.slice(1)} with allow_connections ${String(isAllowed)}`,
    )
  await allowConnections(false)
  const { rowCount } = await app.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'freshet:listen'",
  )
  expect(rowCount).toBe(1)
  await until('the loss is noticed', () => app.log.some((line) => line.includes('the LISTEN connection was lost')))
  await change(key, 'revoked_at = now()')
  await allowConnections(true)
  await admin.end()
  await over
  expect(results).toEqual([lastWords('INVALID_KEY', 'The key was revoked.')])
})

test('a revocation that cannot be looked up at first is looked up again', async () => {
  const key = await app.keyWith('READ')
  const { results, over } = subscribe(key)
  await begun()
  await app.pool.query(`
    begin;
    update freshet.api_keys set revoked_at = now() where prefix = '${key.slice(0, 12)}';
    alter table freshet.api_keys rename to api_keys_away;
    commit`)
  await until('the look-up fails', () => app.log.some((line) => line.includes('revoked keys could not be looked up')))
  await app.pool.query('alter table freshet.api_keys_away rename to api_keys')
  await over
  expect(results).toEqual([lastWords('INVALID_KEY', 'The key was revoked.')])
})

test('a key that is revoked while its subscription begins loses it all the same', async () => {
  const key = await app.keyWith('READ')
  const { results, over } = subscribe(key, 'subscription { heldEvents }')
  await until('the subscription is held up', () => trial.held.length === 1)
  await change(key, 'revoked_at = now()')
  await app.pool.query('select 1') // the news is out, and nobody was subscribed yet
  trial.letGo()
  await over
  expect(results).toEqual([lastWords('INVALID_KEY', 'The key was revoked.')])
})

test('a key that expires ends its subscription, also when that was decided later', async () => {
  const [brief, shortened] = [await app.keyWith('READ'), await app.keyWith('READ')]
  await change(brief, "expires_at = now() + interval '500 milliseconds'")
  const [one, two] = [subscribe(brief), subscribe(shortened)]
  await begun(2)
  await change(shortened, "expires_at = now() + interval '100 milliseconds'")
  await Promise.all([one.over, two.over])
  expect([...one.results, ...two.results]).toEqual(Array(2).fill(lastWords('INVALID_KEY', 'The key has expired.')))
})

test('a payload that is no key is let pass', async () => {
  const key = await app.keyWith('READ')
  const { results, over } = subscribe(key)
  await begun()
  await app.pool.query("select pg_notify('freshet_key_revoked', 'nonsense')")
  await change(key, 'revoked_at = now()')
  await over
  expect(results).toHaveLength(1)
})

test('a subscriber who hangs up while nothing happens leaves nothing behind', async () => {
  const { leave } = subscribe(await app.keyWith('READ'))
  await begun()
  leave()
  await gone()
  const lines = app.log.filter((line) => line.includes('"path":"/graphql"'))
  expect(lines.filter((line) => !line.includes('"requestId":"'))).toEqual([])
})

test('a subscriber who hangs up before his subscription begins leaves nothing behind', async () => {
  const answered = () => app.log.filter((line) => line.includes('"answered"')).length
  const before = answered()
  const { leave } = subscribe(undefined, 'subscription { heldEvents }')
  await until('the subscription is held up', () => trial.held.length === 1)
  leave()
  await until('the server hears of it', () => answered() > before)
  trial.letGo()
  await subscribers() // by the time of this answer it has begun
  await gone()
})

test('one who accepts no stream is refused, and nothing is left of the attempt', async () => {
  const response = await app.post({ query: 'subscription { events }' }, { headers: { accept: 'application/json' } })
  expect(response.status).toBe(406)
  expect(await response.json()).toMatchObject({ status: 406, detail: expect.stringContaining('text/event-stream') })
})

test('one who does not read holds up nobody, and leaves nothing behind when he goes', async () => {
  const body = JSON.stringify({ query: 'subscription { events }' })
  const { port, hostname } = new URL(app.url)
  const idle = connect(Number(port), hostname)
  idle.pause()
  idle.write(
    `POST /graphql HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const { results, leave } = subscribe(undefined)
  await begun(2)
  for (let index = 0; index < 300; index++) trial.push('x'.repeat(50_000))
  await until('the other has all', () => results.length === 300)
  idle.destroy()
  leave()
})
