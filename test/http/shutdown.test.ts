import { once } from 'node:events'
import { Agent, get, request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { createClient } from 'graphql-sse'
import { expect, test } from 'vitest'
import { startTestApp, type Answer } from '../support/app.ts'
import { until } from '../support/until.ts'
import { createTrial } from './trial-schema.ts'

/** Asks over a connection that stays open, and gives back status, headers and body. */
async function askOver(agent: Agent, url: string, query: string) {
  const sent = request(url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } })
  sent.end(JSON.stringify({ query }))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode, connection: response.headers.connection, body }
}

test('R7: a stop lets requests finish, says so to all who ask, and takes no new ones', async () => {
  const trial = createTrial()
  await using app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, schema: trial.schema })
  const { port, hostname } = new URL(app.url)
  const agent = new Agent({ keepAlive: true })
  expect((await askOver(agent, app.endpoint, '{ hello }')).connection).toBe('keep-alive')
  const atWork = askOver(agent, app.endpoint, '{ held }')
  await until('the request is at work', () => trial.held.length === 1)
  const silent = connect(Number(port), hostname) // connected in advance, as browsers do
  const asking = connect(Number(port), hostname) // in the middle of a question when the stop comes
  await Promise.all([once(silent, 'connect'), once(asking, 'connect')])
  asking.write('GET /readyz HTTP/1.1\r\nhost: localhost\r\n')
  const results: Answer[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  createClient({ url: app.endpoint, retryAttempts: 0 }).subscribe(
    { query: 'subscription { events }' },
    { next: (result) => void results.push(result as unknown as Answer), error: () => resolve(), complete: resolve },
  )
  await until('the subscription has begun', () => trial.subscribers.size === 1)
  await until('the server has both connections', async () => (await fetch(`${app.url}/healthz`)).ok)

  const stopping = app.stop()
  await once(silent, 'close')
  let answer = ''
  asking.on('data', (chunk) => (answer += chunk.toString()))
  asking.write('\r\n')
  await once(asking, 'close')
  expect(answer).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n/)
  expect(answer).toMatch(/connection: close/i)
  expect(answer).toContain('"checks":{"process":"is stopping"}')
  const newcomer = get(`${app.url}/healthz`, { agent: false })
  expect(await once(newcomer, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
  await over
  expect(results).toEqual([
    {
      errors: [
        {
          message: 'The server is stopping. Connect again.',
          extensions: { code: 'SHUTTING_DOWN', hint: 'Connect again and go on after the last event seen.' },
        },
      ],
    },
  ])
  expect(trial.subscribers.size).toBe(0)

  const started = performance.now()
  trial.letGo()
  expect(await atWork).toEqual({ status: 200, connection: 'close', body: '{"data":{"held":"let go"}}' })
  await stopping
  expect(performance.now() - started).toBeLessThan(1500)
})

test('what does not finish in time is cut, with what it asks of the database', async () => {
  const trial = createTrial()
  await using app = await startTestApp({
    env: { FRESHET_ROLE: 'api', FRESHET_SHUTDOWN_SECONDS: '1' },
    schema: trial.schema,
  })
  const asked = Promise.allSettled([app.ask('{ held }'), app.ask('{ sleep(seconds: 25) }')])
  await until('both are at work', async () => {
    const { rowCount } = await app.pool.query(
      "select from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%' and state = 'active'",
    )
    return rowCount === 1 && trial.held.length === 1
  })
  const started = performance.now()
  await app.stop()
  expect(performance.now() - started).toBeLessThan(4000)
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a second stop changes nothing, and idle connections hold nothing up', async () => {
  await using app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
  const agent = new Agent({ keepAlive: true })
  await askOver(agent, app.endpoint, '{ __typename }')
  const started = performance.now()
  await Promise.all([app.stop(), app.stop()])
  expect(performance.now() - started).toBeLessThan(1500)
})
