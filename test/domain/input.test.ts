import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { check, text, webAddress, withoutNulls } from '../../src/domain/input.ts'
import { registrableDomain } from '../../src/domain/domain-name.ts'
import { slugOf } from '../../src/domain/retailers/retailer-input.ts'
import { ScrapeConfig } from '../../src/domain/sources/scrape-config.ts'
import { trackingTemplate } from '../../src/domain/sources/tracking-template.ts'

const messages = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message) ?? []

test('a text is trimmed, has an end, and can be stored as it is', () => {
  expect(text(3).parse(' ab ')).toBe('ab')
  expect(text(3).parse('abc')).toBe('abc')
  expect(messages(text(3), 'abcd')).toEqual(['must have at most 3 characters.'])
  expect(messages(text(3), ' \u00a0 ')).toEqual(['must not be blank.'])
  expect(messages(text(3), 'a\u0000')).toEqual(['holds a NUL character or half a surrogate pair.'])
  expect(messages(text(3), 'a\ud800')).toEqual(['holds a NUL character or half a surrogate pair.'])
  expect(messages(text(3), null)).toEqual(['cannot be null.'])
  expect(messages(text(3), undefined)).toEqual(['is required.'])
  expect(messages(text(3), 3)).toEqual(['must be text.'])
})

test.each([
  ['https://shop.example', 'https://shop.example/'],
  [' HTTP://SHOP.Example:80/A ', 'http://shop.example/A'],
  ['https://möbel.example/ü', 'https://xn--mbel-5qa.example/%C3%BC'],
  ['https://shop.example/a b?c=d#e', 'https://shop.example/a%20b?c=d#e'],
])('writes %j the way a browser would', (given, written) => {
  expect(webAddress.parse(given)).toBe(written)
})

test.each([
  'shop.example',
  'ftp://shop.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://user@shop.example',
  'https://user:password@shop.example',
  'https://localhost',
  'https://[::1]',
  'https://.',
  'https://..',
  'https://',
  '',
  'https://shop.example/\ud800',
  `https://shop.example/${'x'.repeat(2000)}`,
])('refuses %j as a web address', (given) => {
  expect(messages(webAddress, given)).not.toEqual([])
})

test('RFC 1035: a host name has at most 253 characters, 63 between two dots, as written in ASCII', () => {
  const longHost = 'has a host name of more than 253 characters, or of more than 63 between two dots.'
  const label = (length: number) => 'a'.repeat(length)
  const host = (last: number) => `${label(63)}.${label(63)}.${label(63)}.${label(last)}`
  expect(messages(webAddress, `https://${label(63)}.example`)).toEqual([])
  expect(messages(webAddress, `https://${label(64)}.example`)).toEqual([longHost])
  expect(messages(webAddress, `https://${host(61)}`)).toEqual([])
  expect(messages(webAddress, `https://${host(61)}.`)).toEqual([])
  expect(messages(webAddress, `https://${host(62)}`)).toEqual([longHost])
  expect(messages(webAddress, `https://${'ü'.repeat(56)}.example`)).toEqual([])
  expect(messages(webAddress, `https://${'ü'.repeat(64)}.example`)).toEqual([longHost])
  expect(messages(webAddress, `https://${'書店'.repeat(900)}.example`)).toEqual([longHost])
})

test('an address has at most 2000 characters also when its escapes are written out', () => {
  const start = 'https://shop.example/'
  const tooLong = 'must have at most 2000 characters, escapes (%20) included.'
  const spaces = Math.floor((2000 - start.length - 1) / 3)
  const fits = `${start}${' '.repeat(spaces)}${'x'.repeat(2000 - start.length - 3 * spaces)}`
  expect(webAddress.parse(fits)).toHaveLength(2000)
  expect(messages(webAddress, `${fits}x`)).toEqual([tooLong])
  expect(messages(webAddress, `${start}${'ü'.repeat(1000)}`)).toEqual([tooLong])
})

test('a web address that was normalised is normal', () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      const written = webAddress.parse(url)
      expect(webAddress.parse(written)).toBe(written)
    }),
  )
})

test.each([
  ['Möbel & Co.', 'mobel-co'],
  ['Straße 12', 'strasse-12'],
  ['Ærø Łódź Œuvre', 'aero-lodz-oeuvre'],
  ['  --A__b--  ', 'a-b'],
  ['ＦＵＬＬ ｗｉｄｔｈ', 'full-width'],
  ['İstanbul ışık', 'istanbul-isik'],
  ['C++ & Ⅳ ﬁne', 'c-iv-fine'],
  ['書店', ''],
  ['…', ''],
  [`${'a'.repeat(99)} b`, 'a'.repeat(99)],
])('makes of the name %j the slug %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

test('a slug is plain or empty whatever the name, and its own slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 150 }), (name) => {
      const slug = slugOf(name)
      expect(slug).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/)
      expect(slug.length).toBeLessThanOrEqual(100)
      expect(slugOf(slug)).toBe(slug)
    }),
  )
})

test.each([
  ['https://www.shop.example/a', 'shop.example'],
  ['https://a.b.shop.co.uk', 'shop.co.uk'],
  ['https://shop.github.io', 'shop.github.io'],
  ['https://shop.example.', 'shop.example'],
  ['https://192.0.2.1/x', '192.0.2.1'],
  ['https://co.uk', 'co.uk'],
])('the registrable domain of %s is %s', (url, domain) => {
  expect(registrableDomain(url)).toBe(domain)
})

test.each([
  'https://go.example/?u={url}',
  'http://go.example/c/{accountId}?u={url}&s={clickId}',
  'https://go.example/{url}',
  'https://go.example:8443?{url}',
])('takes %s as a tracking link', (template) => {
  expect(trackingTemplate.parse(template)).toBe(template)
})

const notALink = 'must be an http or https URL without blanks, whose host is written out.'
const needsUrl = 'must hold {url}, which stands for the page of the offer.'
const unknownName = 'may hold only {url}, {clickId}, {accountId} in braces.'
test.each([
  ['https://go.example/', [needsUrl]],
  ['go.example/?u={url}', [notALink]],
  ['javascript:go({url})', [notALink]],
  ['//go.example/{url}', [notALink]],
  ['https://{url}', [notALink]],
  ['https://{accountId}.go.example/?u={url}', [notALink]],
  ['https://user:pass@go.example/?u={url}', [notALink]],
  ['https://go.example/?u={url} ', []],
  ['https://go.example/ x?u={url}', [notALink]],
  ['https://go.example/?u={url}&x={unknown}', [unknownName]],
  ['https://go.example/?u={url}&x={click-id}', [unknownName]],
  ['https://go.example/?u={url}&x={ url }', [notALink, unknownName]],
  ['https://go.example/?u={url}&x={}', [unknownName]],
  ['https://go.example/?u={url}&x={', [unknownName]],
  ['https://go.example/?u={{url}}', [unknownName]],
  ['', ['must not be blank.', notALink, needsUrl]],
])('says of the tracking link %j what is wrong with it', (template, said) => {
  expect(messages(trackingTemplate, template)).toEqual(said)
})

test('a scrape configuration knows its fields and no other', () => {
  expect(ScrapeConfig.parse({ requestsPerSecond: 10, fetcherType: null })).toEqual({ requestsPerSecond: 10 })
  expect(ScrapeConfig.safeParse({ rateLimit: 1 }).success).toBe(false)
  expect(messages(ScrapeConfig, { requestsPerSecond: 10.1 })).toEqual(['must be at most 10.'])
  expect(messages(ScrapeConfig, { requestsPerSecond: -1 })).toEqual(['must be more than 0.'])
  expect(messages(ScrapeConfig, { fetcherType: 'carrier pigeon' })).toEqual(['must be http or browser.'])
  expect(messages(ScrapeConfig, null)).toEqual(['cannot be null.'])
})

test.each(['Accept-Language', 'Accept', 'Referer', 'DNT', 'X-Requested-With'])('the header %s may be set', (name) => {
  expect(messages(ScrapeConfig, { customHeaders: [{ name, value: 'x' }] })).toEqual([])
})

test.each([
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'X-Api-Key',
  'apikey',
  'X-Auth-Token',
  'X-Access-Token',
  'Client-Secret',
  'X-Password',
  'X-Session-Id',
  'Host',
  'Connection',
  'Content-Length',
  'Transfer-Encoding',
  'User-Agent',
  'Accept-Encoding',
  'If-None-Match',
  'X-Forwarded-For',
])('the header %s may not be set: it carries a secret or belongs to the fetcher', (name) => {
  for (const spelled of [name, name.toLowerCase(), name.toUpperCase()])
    expect(messages(ScrapeConfig, { customHeaders: [{ name: spelled, value: 'x' }] })).toEqual(['may not be set here.'])
})

test('headers are plain, each stands once, and there are at most twenty', () => {
  const header = (name: string, value = 'x') => ({ customHeaders: [{ name, value }] })
  expect(messages(ScrapeConfig, header('Accept\r\nX'))).toEqual(['may hold only letters, digits and hyphens.'])
  expect(messages(ScrapeConfig, header('Accept', 'a\r\nCookie: b'))).toEqual(['may hold only printable ASCII.'])
  const twice = [
    { name: 'Accept', value: 'a' },
    { name: 'ACCEPT', value: 'b' },
  ]
  expect(messages(ScrapeConfig, { customHeaders: twice })).toEqual(['names a header twice.'])
  const many = Array.from({ length: 21 }, (_, index) => ({ name: `X-${index}`, value: 'x' }))
  expect(messages(ScrapeConfig, { customHeaders: many })).toEqual(['may have at most 20 headers.'])
  expect(messages(ScrapeConfig, { customHeaders: many.slice(1) })).toEqual([])
})

test('an input is refused as a whole, with every problem and its path', () => {
  const schema = z.object({ name: text(3), list: z.array(z.object({ value: text(3) })) })
  expect(() => check(schema, { name: '', list: [{ value: 'ok' }, { value: 'long' }] })).toThrow(
    expect.objectContaining({
      code: 'BAD_USER_INPUT',
      field: 'input.name',
      message:
        'The input has 2 problems:\ninput.name: must not be blank.\ninput.list.1.value: must have at most 3 characters.',
      problems: [
        { field: 'input.name', message: 'must not be blank.' },
        { field: 'input.list.1.value', message: 'must have at most 3 characters.' },
      ],
    }),
  )
})

test('nulls of a new object are left out, and nothing else', () => {
  expect(withoutNulls({ a: null, b: undefined, c: 0, d: '', e: false })).toEqual({
    b: undefined,
    c: 0,
    d: '',
    e: false,
  })
})
