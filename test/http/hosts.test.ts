import { afterAll, expect, test } from 'vitest'
import { createHostCheck } from '../../src/http/hosts.ts'
import { startTestApp } from '../support/app.ts'
import { sendRaw } from './raw.ts'

const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())

const get = (path: string, host: string) =>
  sendRaw(app.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)

test('a name that only leads to this machine by trickery is refused, with what to do', async () => {
  for (const path of ['/graphql?query={__typename}', '/graphql', '/metrics', '/', '/nowhere']) {
    const answer = await get(path, 'rebound.example:4000')
    expect(answer).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/)
    expect(answer).toContain('content-type: application/problem+json')
    expect(answer).toContain('"hint":"Ask for localhost, or list the name in FRESHET_ALLOWED_HOSTS."')
    expect(answer).not.toContain('__typename')
  }
})

test('this machine by its own names is answered on any port, and health by any name', async () => {
  for (const host of ['localhost', 'LocalHost:4000', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:4000', '[0:0::1]'])
    expect(await get('/graphql?query={__typename}', host)).toContain('{"data":{"__typename":"Query"}}')
  for (const path of ['/healthz', '/readyz']) expect(await get(path, 'probe.example')).toMatch(/^HTTP\/1\.1 200 /)
})

test.each([
  [
    '127.0.0.1',
    [],
    ['localhost', '', undefined],
    ['shop.example', '192.0.2.1', 'localhost.shop.example', '127.0.0.1.nip.example'],
  ],
  ['127.0.0.5', [], ['127.0.0.5:80', '127.0.0.1'], ['127.0.0.6']],
  [
    '::1',
    ['Shop.Example', '2001:db8::1'],
    ['[::1]', 'shop.example:80', 'SHOP.example', '[2001:db8::1]'],
    ['a.shop.example'],
  ],
  ['localhost', [], ['localhost:80'], ['shop.example']],
  ['0.0.0.0', [], ['shop.example', '192.0.2.1', 'anything'], []],
  ['::', [], ['shop.example'], []],
  ['0.0.0.0', ['shop.example'], ['shop.example', 'localhost'], ['other.example', '192.0.2.1']],
])('bound to %s with %j allowed, %j are answered and %j are not', (host, allowedHosts, good, bad) => {
  const isAskedFor = createHostCheck({ host, allowedHosts })
  expect(good.filter((header) => !isAskedFor(header))).toEqual([])
  expect(bad.filter((header) => isAskedFor(header))).toEqual([])
})
