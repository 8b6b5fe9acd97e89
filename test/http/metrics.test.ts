import { parse } from 'graphql'
import { afterAll, expect, test } from 'vitest'
import { errorCodes } from '../../src/domain/error-codes.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { createStreams } from '../../src/http/streams.ts'
import { startTestApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { createTrial } from './trial-schema.ts'

const trial = createTrial()
const app = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_POOL_SIZE: '3' }, schema: trial.schema })
afterAll(() => app[Symbol.asyncDispose]())

const read = async () => (await fetch(`${app.url}/metrics`)).text()
/** The value of one series, 0 if it is not there. */
const value = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')[1] ?? 0,
  )
const series = (text: string) => text.split('\n').filter((line) => line && !line.startsWith('#'))

test('every metric has help and type, and is named by what it counts in base units', async () => {
  const response = await fetch(`${app.url}/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type]) => [name, type]))
  const helped = new Set([...text.matchAll(/^# HELP (\S+) .+$/gm)].map(([, name]) => name))
  expect(new Set(types.keys())).toEqual(helped)
  for (const [name, type] of types) {
    expect(name).toMatch(/^(freshet|process|nodejs)_[a-z0-9_]+$/)
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|mb|percent)(_|$)/)
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter'])
  }
  for (const line of series(text)) {
    const name = /^[a-z0-9_]+/.exec(line)?.[0] ?? ''
    expect(types.has(name) || types.has(name.replace(/_(bucket|sum|count)$/, ''))).toBe(true)
  }
})

test('operations are timed and counted by type, name and outcome', async () => {
  await app.ask('query Greet { hello }')
  await app.ask('query Greet { hello }')
  await app.ask('query Greet { nothing }')
  await app.ask('{ hello }')
  await app.ask('mutation Note { note(text: "a") }')
  await app.ask('{ items { items { items { items { items { name } } } } } }') // costs 100,000
  const text = await read()
  const operations = (type: string, name: string, outcome: string) =>
    value(text, `freshet_graphql_operations_total{type="${type}",name="${name}",outcome="${outcome}"}`)
  expect(operations('query', 'Greet', 'ok')).toBe(2)
  expect(operations('query', 'Greet', 'error')).toBe(1)
  expect(operations('query', 'anonymous', 'ok')).toBe(1)
  expect(operations('query', 'anonymous', 'error')).toBe(1)
  expect(operations('mutation', 'Note', 'ok')).toBe(1)
  expect(value(text, 'freshet_graphql_operation_duration_seconds_count{type="query",name="Greet"}')).toBe(3)
  expect(value(text, 'freshet_graphql_operation_duration_seconds_sum{type="query",name="Greet"}')).toBeLessThan(3)
})

test('errors are counted by code, wherever they come from', async () => {
  const count = async (code: string) => value(await read(), `freshet_graphql_errors_total{code="${code}"}`)
  const causes: [keyof typeof errorCodes, () => Promise<unknown>][] = [
    ['GRAPHQL_PARSE_FAILED', () => app.ask('{')],
    ['GRAPHQL_VALIDATION_FAILED', () => app.ask('{ nope }')],
    ['BAD_USER_INPUT', () => app.ask('query ($s: Float!) { sleep(seconds: $s) }')],
    ['QUERY_TOO_COMPLEX', () => app.ask('{ items { items { items { items { items { name } } } } } }')],
    ['INVALID_KEY', () => app.ask('{ hello }', {}, { key: 'nope' })],
    ['BAD_REQUEST', () => app.post([])],
    ['UNSUPPORTED_MEDIA_TYPE', () => fetch(app.endpoint, { method: 'POST', body: 'x' })],
    ['CONFLICT', () => app.ask('{ fail(how: "domain") }')],
    ['INTERNAL_SERVER_ERROR', () => app.ask('{ fail(how: "error") }')],
  ]
  for (const [code, cause] of causes) {
    const before = await count(code)
    await cause()
    await cause()
    expect([code, (await count(code)) - before]).toEqual([code, 2])
  }
})

test('the use of the pool can be seen', async () => {
  const asked = [1, 2, 3, 4, 5].map(() => app.ask('{ sleep(seconds: 0.5) }'))
  const text = await until('the pool is used up', async () => {
    const now = await read()
    return value(now, 'freshet_db_pool_waiting_requests') === 2 && now
  })
  expect(value(text, 'freshet_db_pool_connections{state="used"}')).toBe(3)
  expect(value(text, 'freshet_db_pool_connections{state="idle"}')).toBe(0)
  expect(value(text, 'freshet_db_pool_max_connections')).toBe(3)
  await Promise.all(asked)
  const after = await read()
  expect(value(after, 'freshet_db_pool_connections{state="used"}')).toBe(0)
  expect(value(after, 'freshet_db_pool_waiting_requests')).toBe(0)
})

test('a name without measure, or one that is a key, does not become a label', async () => {
  const key = `frs_${'k'.repeat(43)}`
  await app.ask(`query ${'x'.repeat(100_000)} { hello }`)
  await app.ask(`query ${key} { hello }`)
  const text = await read()
  expect(text).not.toContain('xxxx')
  expect(text).not.toContain(key)
  expect(value(text, 'freshet_graphql_operations_total{type="query",name="other",outcome="ok"}')).toBe(2)
})

// The last: it keeps the process busy for seconds, while the server gives up connections that are idle.
test('S18: 10,000 names of operations and of queues make no more than 2,000 series', async () => {
  const streams = createStreams(() => new Date())
  const queues = Array.from({ length: 10_000 }, (_, index) => `queue-${index}`)
  const outcomes = ['done', 'cancelled', 'snoozed', 'retried', 'failed', 'handed-back', 'lost']
  const states = ['waiting', 'delayed', 'active', 'failed', 'dead']
  const readMeasurements = async () =>
    queues.flatMap((first) => [
      ...states.map((second) => ({ metric: 'queue_jobs', first, second, value: 1 })),
      ...states.map((second) => ({ metric: 'queue_oldest_job_age_seconds', first, second, value: 1 })),
    ])
  const metrics = createMetrics({ pool: app.pool, streams, clock: { lagSeconds: () => 7 }, readMeasurements })
  for (const queue of queues) for (const outcome of outcomes) metrics.observeJob({ queue, outcome, seconds: 1 })
  for (let index = 0; index < 10_000; index++) {
    for (const type of ['query', 'mutation', 'subscription']) {
      const finished = metrics.startOperation({
        schema: trial.schema,
        document: parse(`${type} Name${index} { a }`),
      })
      finished(index % 2 ? {} : { errors: [] })
    }
  }
  for (const code of Object.keys(errorCodes)) metrics.countErrors([{ extensions: { code } } as never])
  const text = await metrics.registry.metrics()
  expect(series(text).length).toBeLessThanOrEqual(2000)
  expect(text).toContain('name="Name0"')
  expect(text).toContain('name="other"')
  expect(value(text, 'freshet_queue_jobs{queue="queue-0",state="waiting"}')).toBe(1)
  expect(value(text, 'freshet_queue_jobs{queue="other",state="waiting"}')).toBe(9_980)
})
