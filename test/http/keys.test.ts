import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeKey } from '../../src/domain/access/key.ts'
import { callerAddress } from '../../src/http/authentication.ts'
import { startTestApp, type Answer } from '../support/app.ts'
import { memoryUsed } from '../support/memory.ts'
import { sendRaw } from './raw.ts'
import { watchStatements } from '../support/statements.ts'

const { statements } = watchStatements()
let time = Date.UTC(2026, 0, 1)
const app = await startTestApp({
  env: { FRESHET_ROLE: 'api', FRESHET_PROXY_HOPS: '1' },
  now: () => new Date(time),
})
afterAll(() => app[Symbol.asyncDispose]())

let caller = 0
/** Asks something that is open to all, from an address of its own unless one is given. */
async function ask(authorization: string | undefined, from: string) {
  const headers = {
    'x-forwarded-for': `203.0.113.254, ${from}`,
    ...(authorization === undefined ? {} : { authorization }),
  }
  const response = await app.post({ query: '{ __typename }' }, { headers })
  const { errors } = (await response.json()) as Answer
  return {
    status: response.status,
    code: errors?.[0]?.extensions.code,
    message: errors?.[0]?.message,
    headers: response.headers,
  }
}
const someone = () => `192.0.2.${++caller}`

beforeEach(() => {
  time += 3_600_000
})

test('without a key a public question is answered', async () => {
  expect(await ask(undefined, someone())).toMatchObject({ status: 200, code: undefined })
})

test('with a good key it is answered too, however the scheme is written', async () => {
  const key = await app.keyWith('READ')
  for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}  `])
    expect(await ask(header, someone())).toMatchObject({ status: 200, code: undefined })
})

const malformed = [
  '',
  'Bearer',
  'Bearer ',
  'Basic dXNlcjpwdw==',
  'Bearer nope',
  `Bearer ${makeKey()} x`,
  `Token ${makeKey()}`,
  makeKey(),
]
for (const header of malformed) {
  test(`the header "${header.replace(/frs_\S+/, 'frs_…')}" is refused, also for a public question`, async () => {
    const { status, code, message, headers } = await ask(header, someone())
    expect({ status, code, message }).toEqual({
      status: 401,
      code: 'INVALID_KEY',
      message:
        header === 'Bearer nope'
          ? 'The key is unknown, revoked or expired.'
          : 'The Authorization header is not of the form "Bearer <key>".',
    })
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })
}

test('a key that has not the form of one is refused without a look at the database', async () => {
  const before = statements.length
  await ask('Bearer nope', someone())
  expect(statements.slice(before)).toEqual([])
})

test('an unknown, a revoked and an expired key are refused alike', async () => {
  const [revoked, expired, expiring] = [
    await app.keyWith('ADMIN'),
    await app.keyWith('ADMIN'),
    await app.keyWith('ADMIN'),
  ]
  const set = (key: string, change: string, at: Date) =>
    app.pool.query(`update freshet.api_keys set ${change} = $2 where prefix = $1`, [key.slice(0, 12), at])
  await set(revoked, 'revoked_at', new Date(time + 60_000)) // revoked is revoked, whatever the clock says
  await set(expired, 'expires_at', new Date(time))
  await set(expiring, 'expires_at', new Date(time + 1))
  for (const key of [makeKey(), revoked, expired])
    expect(await ask(`Bearer ${key}`, someone())).toMatchObject({
      status: 401,
      code: 'INVALID_KEY',
      message: 'The key is unknown, revoked or expired.',
    })
  expect(await ask(`Bearer ${expiring}`, someone())).toMatchObject({ status: 200 })
})

test('a key with the prefix of a good one is not good', async () => {
  const key = await app.keyWith('ADMIN')
  const other = key.slice(0, 20) + makeKey().slice(20)
  expect(await ask(`Bearer ${other}`, someone())).toMatchObject({ status: 401 })
})

test('ten wrong keys a minute from an address are enough; the eleventh is told when to come back, without SQL', async () => {
  const from = someone()
  for (let index = 0; index < 10; index++) expect((await ask(`Bearer ${makeKey()}`, from)).status).toBe(401)
  const before = statements.length
  const { status, code, message, headers } = await ask(`Bearer ${makeKey()}`, from)
  expect({ status, code, message, wait: headers.get('retry-after') }).toEqual({
    status: 429,
    code: 'TOO_MANY_ATTEMPTS',
    message: 'Too many wrong keys came from here. Try again in 60 s.',
    wait: '60',
  })
  expect(statements.slice(before)).toEqual([])
  expect(await ask(undefined, from)).toMatchObject({ status: 200 }) // no key, no guess
  expect(await ask(`Bearer ${makeKey()}`, someone())).toMatchObject({ status: 401 })
  time += 60_000
  expect(await ask(`Bearer ${makeKey()}`, from)).toMatchObject({ status: 401 })
})

test('a right key passes from a blocked address if it was used lately, else it waits', async () => {
  const [used, fresh] = [await app.keyWith('READ'), await app.keyWith('READ')]
  const from = someone()
  expect(await ask(`Bearer ${used}`, someone())).toMatchObject({ status: 200 })
  for (let index = 0; index < 10; index++) await ask('Bearer nope', from)
  expect(await ask(`Bearer ${used}`, from)).toMatchObject({ status: 200 })
  expect(await ask(`Bearer ${fresh}`, from)).toMatchObject({ status: 429 })
  time += 60_000
  expect(await ask(`Bearer ${fresh}`, from)).toMatchObject({ status: 200 })
})

test('a hundred wrong keys at once get ten look-ups', async () => {
  const from = someone()
  const before = statements.length
  const answers = await Promise.all(Array.from({ length: 100 }, () => ask(`Bearer ${makeKey()}`, from)))
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(90)
  expect(statements.length - before).toBe(10)
})

/** Many requests over one connection, each sent without waiting for the answer to the one before. */
async function flood(count: number, from: string): Promise<string[]> {
  const body = '{"query":"{ __typename }"}'
  const requests = Array.from({ length: count }, (_, index) =>
    [
      'POST /graphql HTTP/1.1',
      'host: localhost',
      `x-forwarded-for: ${from}`,
      `authorization: Bearer ${makeKey()}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
      `connection: ${index === count - 1 ? 'close' : 'keep-alive'}`,
      '',
      body,
    ].join('\r\n'),
  )
  return [...(await sendRaw(app.url, requests.join(''))).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status)
}

/** Ten thousand requests take two seconds of a free machine, and many times that of one that does other things, too. */
const timeout = 120_000

test('S17: 10,000 wrong keys leave little behind and hold up nobody else', { timeout }, async () => {
  const good = await app.keyWith('READ')
  const [before, memory] = [statements.length, memoryUsed()]
  const answers: string[] = []
  for (let round = 0; round < 20; round++) answers.push(...(await flood(500, `198.51.100.${round}`)))
  expect(answers.filter((status) => status === '401')).toHaveLength(200)
  expect(answers.filter((status) => status === '429')).toHaveLength(9800)
  expect(statements.length - before).toBe(200)
  expect(memoryUsed() - memory).toBeLessThan(20_000_000)
  expect(await ask(`Bearer ${good}`, someone())).toMatchObject({ status: 200 })
})

test('when a key was last used is written once a minute', async () => {
  const key = await app.keyWith('READ')
  const lastUsed = async () => {
    const { rows } = await app.pool.query<{ at: Date }>(
      'select last_used_at as at from freshet.api_keys where prefix = $1',
      [key.slice(0, 12)],
    )
    return rows[0]?.at?.getTime()
  }
  const start = time
  const before = statements.length
  await ask(`Bearer ${key}`, someone())
  expect(await lastUsed()).toBe(start)
  for (const seconds of [1, 30, 59]) {
    time = start + seconds * 1000
    await ask(`Bearer ${key}`, someone())
  }
  expect(await lastUsed()).toBe(start)
  time = start + 61_000
  await ask(`Bearer ${key}`, someone())
  expect(await lastUsed()).toBe(start + 61_000)
  expect(statements.slice(before).filter((text) => text.startsWith('update'))).toHaveLength(2)
})

/** A request as it comes from a peer, with what proxies said. */
function incoming(peer: string, forwarded?: string): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  Object.defineProperty(request.socket, 'remoteAddress', { value: peer })
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded
  return request
}

const addresses: [peer: string, forwarded: string | undefined, hops: number, address: string][] = [
  ['192.0.2.1', '203.0.113.9', 0, '192.0.2.1'],
  ['192.0.2.1', undefined, 1, '192.0.2.1'],
  ['192.0.2.1', '203.0.113.9', 1, '203.0.113.9'],
  ['192.0.2.1', '198.51.100.7, 203.0.113.9', 1, '203.0.113.9'],
  ['192.0.2.1', '198.51.100.7, 203.0.113.9', 2, '198.51.100.7'],
  ['192.0.2.1', '203.0.113.9', 2, '192.0.2.1'],
  ['192.0.2.1', 'nonsense', 1, '192.0.2.1'],
  ['192.0.2.1', '203.0.113.9:51234', 1, '203.0.113.9'],
  ['::ffff:192.0.2.1', undefined, 0, '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', undefined, 0, '2001:db8:1:2::/64'],
  ['2001:db8::1', undefined, 0, '2001:db8:0:0::/64'],
  ['::1', undefined, 0, '0:0:0:0::/64'],
  ['fe80::1%eth0', undefined, 0, 'fe80:0:0:0::/64'],
  ['192.0.2.1', '[2001:db8::5]:443', 1, '2001:db8:0:0::/64'],
]
for (const [peer, forwarded, hops, address] of addresses) {
  test(`behind ${hops} proxies, ${peer} with "${forwarded ?? 'nothing'}" counts as ${address}`, () => {
    expect(callerAddress(incoming(peer, forwarded), hops)).toBe(address)
  })
}
