import { afterAll, expect, test } from 'vitest'
import { startTestApp, type Answer } from '../support/app.ts'
import { createTrial } from './trial-schema.ts'

const trial = createTrial()
const closed = await startTestApp({ env: { FRESHET_ROLE: 'api' }, schema: trial.schema })
afterAll(() => closed[Symbol.asyncDispose]())
const open = await startTestApp({
  env: { FRESHET_ROLE: 'api', FRESHET_CORS_ORIGINS: 'https://shop.example,https://admin.example' },
  schema: trial.schema,
})
afterAll(() => open[Symbol.asyncDispose]())

const code = async (response: Response) => ((await response.json()) as Answer).errors?.[0]?.extensions.code
const mutation = 'mutation { note(text: "forged") }'
const address = (query: string) => `${closed.endpoint}?${new URLSearchParams({ query }).toString()}`
const granted = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith('access-control'))

const form = new FormData()
form.set('query', mutation)
const forms: [string, RequestInit][] = [
  ['an urlencoded form', { body: new URLSearchParams({ query: mutation }) }],
  ['a multipart form', { body: form }],
  ['a text form', { body: `{"query":"${mutation}", "a":"="}`, headers: { 'content-type': 'text/plain' } }],
  ['JSON that calls itself text', { body: JSON.stringify({ query: mutation }) }],
  ['a body without a type', { body: new Uint8Array(Buffer.from(JSON.stringify({ query: mutation }))) }],
  ['GraphQL as such', { body: mutation, headers: { 'content-type': 'application/graphql' } }],
  ['a type that begins like JSON', { body: '{}', headers: { 'content-type': 'application/jsonx' } }],
]

for (const [name, init] of forms) {
  test(`${name} is refused, and nothing is done`, async () => {
    const response = await fetch(closed.endpoint, { method: 'POST', ...init })
    expect(response.status).toBe(415)
    expect(await code(response)).toBe('UNSUPPORTED_MEDIA_TYPE')
    expect(trial.notes).toEqual([])
  })
}

test('JSON is taken however its type is written', async () => {
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/json ;charset=utf-8']) {
    const response = await fetch(closed.endpoint, {
      method: 'POST',
      headers: { 'content-type': type },
      body: '{"query":"{ hello }"}',
    })
    expect(await response.json()).toEqual({ data: { hello: 'hello' } })
  }
})

test('a GET may ask, and may not change anything', async () => {
  expect(await (await fetch(address('{ hello }'))).json()).toEqual({ data: { hello: 'hello' } })
  const response = await fetch(address(mutation))
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
  expect(await code(response)).toBe('BAD_REQUEST')
  expect(trial.notes).toEqual([])
})

const accepts = ['text/event-stream', 'Text/Event-Stream', 'text/html;q=0.9, text/event-stream']
for (const accept of accepts) {
  test(`a GET that accepts "${accept}" needs a header that no form can send`, async () => {
    const response = await fetch(address('{ hello }'), { headers: { accept } })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('"code":"CSRF_REFUSED"')
  })
}

for (const accept of ['*/*', 'text/*', 'image/avif,image/webp,*/*;q=0.8']) {
  test(`a GET with a subscription is refused too when it accepts "${accept}"`, async () => {
    const response = await fetch(address('subscription { events }'), { headers: { accept } })
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('"code":"CSRF_REFUSED"')
    expect(trial.subscribers.size).toBe(0)
  })
}

test('with the header a GET streams', async () => {
  const headers = { accept: 'text/event-stream', 'x-freshet-csrf': '1' }
  const response = await fetch(address('{ hello }'), { headers })
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('event: next\ndata: {"data":{"hello":"hello"}}')
})

const origins = ['https://evil.example', 'https://shop.example', 'null', closed.url]
const wrong: [string, RequestInit][] = [
  ['an answer', { method: 'POST', body: '{"query":"{ hello }"}' }],
  ['an error', { method: 'POST', body: '{"query":"{ nope }"}' }],
  ['a refused key', { method: 'POST', body: '{"query":"{ hello }"}', headers: { authorization: 'Bearer nope' } }],
  ['a body that is no JSON', { method: 'POST', body: '{' }],
  ['a body that is too large', { method: 'POST', body: 'x'.repeat(1_000_001) }],
  ['a preflight', { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }],
  ['another method', { method: 'PUT', body: '{}' }],
]
const sendAs = (to: string, origin: string, { headers, ...init }: RequestInit) =>
  fetch(to, { ...init, headers: { 'content-type': 'application/json', origin, ...(headers as object) } })

for (const [name, init] of wrong) {
  test(`no page of another site may read ${name}`, async () => {
    for (const origin of origins) expect(granted(await sendAs(closed.endpoint, origin, init))).toEqual([])
  })

  test(`only pages of the listed origins may read ${name}, never with credentials`, async () => {
    for (const origin of ['https://evil.example', 'null', 'https://shop.example.evil.example', 'http://shop.example']) {
      const response = await sendAs(open.endpoint, origin, init)
      expect(granted(response)).toEqual([])
      expect(response.headers.get('vary')).toBe('origin')
    }
    for (const origin of ['https://shop.example', 'https://admin.example']) {
      const { headers } = await sendAs(open.endpoint, origin, init)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('vary')).toBe('origin')
      expect(headers.get('access-control-expose-headers')).toBe('x-request-id, retry-after')
    }
  })
}

test('the preflight of a listed origin allows what a client needs', async () => {
  const response = await sendAs(open.endpoint, 'https://shop.example', {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,x-evil' },
  })
  expect(response.status).toBe(204)
  expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST')
  expect(response.headers.get('access-control-allow-headers')).toBe(
    'authorization, content-type, x-request-id, x-freshet-csrf',
  )
})

test('health and metrics are no concern of other origins', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere'])
    expect(granted(await fetch(open.url + path, { headers: { origin: 'https://shop.example' } }))).toEqual([])
})
