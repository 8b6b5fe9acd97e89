import { afterAll, expect, test } from 'vitest'
import { startTestApp, type Answer } from '../support/app.ts'
import { sendRaw } from './raw.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
const post = (body: BodyInit) => fetch(app.endpoint, { method: 'POST', headers: json, body })
const firstError = async (response: Response) => ((await response.json()) as Answer).errors?.[0]
const badRequest = { code: 'BAD_REQUEST', hint: 'Send `{"query": "…", "variables": {…}}` by POST.' }

const targets = ['//', '///graphql', 'http://[', 'http://local:99999/', '*', 'nonsense', '/%', '/%00', '/\\', '/..//']
for (const target of targets) {
  test(`the address ${target} is answered, and the server lives`, async () => {
    const answer = await sendRaw(app.url, `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 (400|404|302) /)
    expect(answer).not.toMatch(/\n\s+at |node:|file:/)
    expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
  })
}

for (const host of ['[', 'a b', 'x:99999', '#', '?', 'user@x', '/', 'x/y', '%']) {
  test(`the host ${host} is refused without a stack`, async () => {
    const answer = await sendRaw(
      app.url,
      `GET /graphql?query={__typename} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    expect(answer).toContain('application/problem+json')
    expect(answer).not.toMatch(/\n\s+at |node:|file:/)
  })
}

test('an address may be written out in full, as to a proxy', async () => {
  const answer = await sendRaw(
    app.url,
    `GET http://elsewhere/graphql?query={__typename} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toContain('{"data":{"__typename":"Query"}}')
})

test('what is no HTTP gets a problem and no more', async () => {
  const answer = await sendRaw(app.url, 'EHLO mail\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\ncontent-type: application\/problem\+json\r\n/)
  const tooLong = await sendRaw(app.url, `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'x'.repeat(20_000)}\r\n\r\n`)
  expect(tooLong).toMatch(/^HTTP\/1.1 431 /)
})

const bodies: [string, BodyInit, string][] = [
  ['no JSON', '{"query": nope', 'The body is not JSON.'],
  ['nothing', '', 'The body is not JSON.'],
  ['null', 'null', 'The body is not a JSON object.'],
  ['a number', '5', 'The body is not a JSON object.'],
  ['no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'The body is not UTF-8.'],
  ['a list of queries', '[{"query":"{ __typename }"}]', 'Batching is not supported.'],
  ['no query', '{}', 'Must provide query string.'],
  ['a query that is no text', '{"query":5}', 'Expected "query" param to be a string, but given number.'],
  [
    'variables that are a list',
    '{"query":"{ __typename }","variables":[]}',
    'Expected "variables" param to be empty or an object, but given array.',
  ],
  [
    'an unknown parameter',
    '{"query":"{ __typename }","doc_id":"1"}',
    'Unexpected parameter "doc_id" in the request body.',
  ],
]

for (const [name, body, message] of bodies) {
  test(`a body with ${name} is the caller's mistake`, async () => {
    const logged = app.log.length
    expect(await firstError(await post(body))).toEqual({ message, extensions: badRequest })
    expect(app.log.slice(logged).filter((line) => line.includes('"level":"error"'))).toEqual([])
  })
}

for (const name of ['variables', 'extensions']) {
  test(`a GET with ${name} that are no JSON is the caller's mistake`, async () => {
    const response = await fetch(`${app.endpoint}?query={__typename}&${name}={`)
    expect(response.status).toBe(400)
    expect(await firstError(response)).toEqual({ message: `${name} is not JSON.`, extensions: badRequest })
  })
}

test('an answer in a form that is not known is refused with a reason', async () => {
  const response = await fetch(app.endpoint, {
    method: 'POST',
    headers: { ...json, accept: 'image/png' },
    body: '{"query":"{ __typename }"}',
  })
  expect(response.status).toBe(406)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toMatchObject({ status: 406, detail: expect.stringContaining('application/json') })
})

test('an address with nothing behind it says where things are', async () => {
  const response = await fetch(`${app.url}/nowhere`)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(await response.json()).toEqual({
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    detail:
      'There is nothing here. GraphQL is at /graphql, queues at /queues, health at /healthz and /readyz, metrics at /metrics.',
    requestId: response.headers.get('x-request-id'),
  })
})

test('the bare address leads to GraphiQL', async () => {
  const response = await fetch(app.url, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([302, '/graphql'])
})

test('a request id that is well-formed is taken over', async () => {
  const { headers } = await app.post({ query: '{ __typename }' }, { headers: { 'x-request-id': 'shop:42.a-b_c' } })
  expect(headers.get('x-request-id')).toBe('shop:42.a-b_c')
})

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ids = ['', 'a b', 'x'.repeat(101), 'a/b', 'é', 'a"b', `frs_${'k'.repeat(43)}`]
for (const id of ids) {
  test(`the request id "${id.slice(0, 20)}" is replaced`, async () => {
    const { headers } = await app.post({ query: '{ __typename }' }, { headers: { 'x-request-id': id } })
    expect(headers.get('x-request-id')).toMatch(uuid)
  })
}

test('RFC 9112 §3.2: two Host headers are one too many', async () => {
  const answer = await sendRaw(app.url, 'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
})

test.each([
  ['half a header', 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-ty'],
  [
    'half a body',
    'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"query',
  ],
])('a caller who sends %s and no more is told so within the time of a request, and let go', async (_what, text) => {
  await using hasty = await startTestApp({ env: { FRESHET_ROLE: 'api', FRESHET_REQUEST_SECONDS: '1' } })
  expect(await sendRaw(hasty.url, text)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
})
