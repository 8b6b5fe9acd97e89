import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalUrl } from '../../../../src/domain/feeds/row/canonical-url.ts'
import { isTrackingParameter } from '../../../../src/domain/feeds/row/tracking-parameters.ts'
import { naughty } from '../../../support/naughty.ts'

function canonical(text: string) {
  const page = canonicalUrl(text)
  if (!page.ok) throw new Error(`${text.slice(0, 100)} ${page.reason}`)
  return page
}
const reasonOf = (text: string) => {
  const page = canonicalUrl(text)
  return page.ok ? page.url : page.reason
}

test.each([
  // scheme and host in small letters, the path as it is
  ['HTTPS://Shop.Example/Product-1', 'https://shop.example/Product-1'],
  ['http://shop.example/a', 'http://shop.example/a'],
  // slash at the end
  ['https://shop.example', 'https://shop.example/'],
  ['https://shop.example/', 'https://shop.example/'],
  ['https://shop.example/a/', 'https://shop.example/a'],
  ['https://shop.example/a//', 'https://shop.example/a'],
  ['https://shop.example/a/?b=1', 'https://shop.example/a?b=1'],
  ['https://shop.example//', 'https://shop.example/'],
  ['https://shop.example/a//b', 'https://shop.example/a//b'],
  // parameters
  ['https://shop.example/a?b=2&a=1', 'https://shop.example/a?a=1&b=2'],
  ['https://shop.example/a?b=2&b=1', 'https://shop.example/a?b=2&b=1'],
  ['https://shop.example/a?utm_source=x&utm_medium=y', 'https://shop.example/a'],
  ['https://shop.example/a?UTM_Source=x&color=red', 'https://shop.example/a?color=red'],
  ['https://shop.example/a?%75tm_source=x', 'https://shop.example/a'],
  [
    'https://shop.example/a?ref=1&affid=2&affiliate_id=3&clickid=4&click_id=5&subid=6&sub_id=7',
    'https://shop.example/a',
  ],
  [
    'https://shop.example/a?irclickid=1&irgwc=1&iradid=2&ircid=3&irpid=4&irmpname=x&subId1=a&sharedid=b',
    'https://shop.example/a',
  ],
  ['https://shop.example/a?gclid=1&fbclid=2&msclkid=3&cjevent=4&sscid=5&awc=6', 'https://shop.example/a'],
  ['https://shop.example/a?variant=1&utm_source=x&size=2', 'https://shop.example/a?size=2&variant=1'],
  [
    'https://shop.example/a?reference=1&referrer=2&subidentity=3',
    'https://shop.example/a?reference=1&referrer=2&subidentity=3',
  ],
  ['https://shop.example/a?', 'https://shop.example/a'],
  ['https://shop.example/a?&&b', 'https://shop.example/a?b'],
  ['https://shop.example/a?b=', 'https://shop.example/a?b='],
  ['https://shop.example/a?b=1+2&c=%20', 'https://shop.example/a?b=1+2&c=%20'],
  ['https://shop.example/a?b=1&amp;a=2', 'https://shop.example/a?a=2&b=1'],
  ['https://shop.example/a?b=1&amp;amp;a=2', 'https://shop.example/a?a=2&b=1'],
  ['https://shop.example/a?b=%e4%zz', 'https://shop.example/a?b=%E4%zz'],
  // fragment, port, dots, escapes, names
  ['https://shop.example/a#top', 'https://shop.example/a'],
  ['https://shop.example:443/a', 'https://shop.example/a'],
  ['http://shop.example:80/a', 'http://shop.example/a'],
  ['https://shop.example:8443/a', 'https://shop.example:8443/a'],
  ['https://shop.example./a', 'https://shop.example/a'],
  ['https://shop.example/a/../b/./c', 'https://shop.example/b/c'],
  ['https://shop.example/%c3%bc', 'https://shop.example/%C3%BC'],
  ['https://shop.example/ü', 'https://shop.example/%C3%BC'],
  ['https://möbel.example/a', 'https://xn--mbel-5qa.example/a'],
  ['https://MÖBEL.example/a', 'https://xn--mbel-5qa.example/a'],
  ['https://shop.example/a b', 'https://shop.example/a%20b'],
  // as feeds write them
  ['  https://shop.example/a  ', 'https://shop.example/a'],
  ['\ufeffhttps://shop.example/a', 'https://shop.example/a'],
  ['//shop.example/a', 'https://shop.example/a'],
  ['www.shop.example/a', 'https://www.shop.example/a'],
  ['https:\\\\shop.example\\a', 'https://shop.example/a'],
])('S2 §3.4: the canonical form of %j is %s', (given, url) => {
  expect(canonical(given).url).toBe(url)
})

const https = 'begins with javascript: instead of https:'
test.each([
  ['', 'is blank.'],
  ['   ', 'is blank.'],
  ['not a url', 'is not an address.'],
  ['shop.example/a', 'is not an address.'],
  ['/a/b', 'is not an address.'],
  ['https://', 'is not an address.'],
  ['https://sh op.example/', 'is not an address.'],
  ['https://shop.example:99999/', 'is not an address.'],
  ['javascript:alert(1)', https],
  ['JavaScript:alert(1)//https://shop.example', https],
  ['data:text/html,x', 'begins with data: instead of https:'],
  ['ftp://shop.example/a', 'begins with ftp: instead of https:'],
  ['file:///etc/passwd', 'begins with file: instead of https:'],
  ['java\nscript:alert(1)', 'holds control characters or half a character.'],
  ['https://shop.example/\u0000', 'holds control characters or half a character.'],
  ['https://shop.example/a\tb', 'holds control characters or half a character.'],
  ['https://shop.example/\ud800', 'holds control characters or half a character.'],
  ['https://user:password@shop.example/', 'holds a user name or password.'],
  ['https://user@shop.example/', 'holds a user name or password.'],
  ['https://localhost/a', 'has no host name that others could reach.'],
  ['https://[::1]/a', 'has no host name that others could reach.'],
  ['https://shop..example/', 'has no host name that others could reach.'],
  [`https://${'a'.repeat(64)}.example/`, 'has no host name that others could reach.'],
  [`https://${'a.'.repeat(127)}example/`, 'has no host name that others could reach.'],
])('issue 5 §2: the link %j %s', (given, reason) => {
  expect(canonicalUrl(given)).toEqual({ ok: false, code: 'INVALID_URL', reason })
})

test('issue 5 §2: an address has at most 2,000 characters, a link that leads to it at most 8,000', () => {
  const page = 'https://shop.example/'
  expect(canonical(page + 'a'.repeat(2000 - page.length)).url).toHaveLength(2000)
  expect(reasonOf(page + 'a'.repeat(2001 - page.length))).toBe('has more than 2000 characters, escapes (%20) included.')
  expect(reasonOf(`${page}?utm_source=${'a'.repeat(7000)}`)).toBe(page)
  expect(reasonOf(`${page}?utm_source=${'a'.repeat(8000)}`)).toBe('has more than 8000 characters.')
})

test('S2 §3.4: the hash is SHA-256 of the address without its protocol', () => {
  const sha = (text: string) => createHash('sha256').update(text).digest()
  expect(canonical('https://Shop.example/A/?b=1').hash).toEqual(sha('shop.example/A?b=1'))
  expect(canonical('https://shop.example/').hash).toEqual(sha('shop.example'))
  expect(canonical('http://shop.example/A').hash).toEqual(canonical('https://shop.example/A').hash)
})

test('S2 §3.4: paths in other cases are other pages with one folded hash; the case of a parameter stays', () => {
  const [one, other] = [canonical('https://shop.example/Product-1'), canonical('https://shop.example/product-1')]
  expect(one.hash).not.toEqual(other.hash)
  expect(one.foldedHash).toEqual(other.foldedHash)
  expect(other.foldedHash).toEqual(other.hash)
  expect(canonical('https://shop.example/a?b=X').foldedHash).not.toEqual(
    canonical('https://shop.example/a?b=x').foldedHash,
  )
})

const tracking =
  'utm_source utm_campaign ref affid affiliate_id clickid click_id subid sub_id subid3 irclickid irgwc gclid'.split(' ')
const word = fc.string({ unit: fc.constantFrom(...Array.from('abcABC019-_.%2f~+ü')), maxLength: 8 })
const parameters = fc.array(fc.tuple(fc.oneof(word, fc.constantFrom(...tracking)), word), { maxLength: 6 })
const link = fc
  .tuple(
    fc.constantFrom('http', 'HTTPS', 'https'),
    fc.constantFrom('Shop.example', 'möbel.example:8080', 'a.b.example.'),
    fc.array(word, { maxLength: 4 }),
    parameters,
    word,
  )
  .map(
    ([scheme, host, path, query, hash]) =>
      `${scheme}://${host}/${path.join('/')}?${query.map(([key, value]) => `${key}=${value}`).join('&')}#${hash}`,
  )

test('DESIGN 10: the canonical form of a canonical form is itself, hashes too', () => {
  fc.assert(
    fc.property(fc.oneof(link, fc.webUrl({ withQueryParameters: true, withFragments: true })), (text) => {
      const first = canonicalUrl(text)
      if (!first.ok) return
      expect(canonicalUrl(first.url)).toEqual(first)
    }),
    { numRuns: 2000 },
  )
})

test('S2 §3.4: neither the order of other names nor any tracking parameter changes the hash', () => {
  const own = fc.uniqueArray(fc.tuple(fc.constantFrom('color', 'size', 'id', 'v', 'Z'), word), {
    selector: ([key]) => key,
  })
  const sent = fc.array(fc.tuple(fc.constantFrom(...tracking), word))
  const query = (pairs: [string, string][]) =>
    pairs.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&')
  fc.assert(
    fc.property(own, sent, fc.infiniteStream(fc.nat()), (pairs, added, order) => {
      const mixed = [...pairs, ...added].map((pair) => ({ pair, at: order.next().value }))
      const shuffled = mixed.toSorted((one, other) => one.at - other.at).map(({ pair }) => pair)
      expect(canonical(`https://shop.example/a?${query(shuffled)}`).url).toBe(
        canonical(`https://shop.example/a?${query(pairs)}`).url,
      )
    }),
  )
})

test.each(['color', 'variant', 'reference', 'subject', 'source', 'id', 'sku', 'prodsku', 'utm', 'of', ''])(
  'the parameter %s says something of the page',
  (name) => {
    expect(isTrackingParameter(name)).toBe(false)
  },
)

test('S13: what is taken is an http or https address and nothing else, whatever is given', () => {
  const check = (text: string) => {
    const page = canonicalUrl(text)
    expect(page.ok ? page.url : page.code).toMatch(/^(https?:\/\/[!-~]+|INVALID_URL)$/)
  }
  naughty.forEach(check)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), check))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => check(`https://shop.example/${text}`)))
})

const hostile = 200_000
test.each([
  ['slashes', `https://shop.example/${'/'.repeat(hostile)}`],
  ['parameters', `https://shop.example/?${'a&'.repeat(hostile / 2)}`],
  ['escapes', `https://shop.example/${'%2'.repeat(hostile / 2)}`],
  ['entities', `https://shop.example/?${'&amp;'.repeat(hostile / 5)}`],
  ['dots', `https://${'a.'.repeat(hostile / 2)}`],
  ['blanks', `https://shop.example/${' '.repeat(hostile)}x`],
])('S16: 200 kB of %s are refused in no time', (_what, text) => {
  const start = performance.now()
  expect(canonicalUrl(text).ok).toBe(false)
  expect(performance.now() - start).toBeLessThan(50)
})

test('the longest link that is looked at takes no time either', () => {
  const start = performance.now()
  for (const part of ['/', 'a&', '%2', '&amp;', '='])
    canonicalUrl(`https://shop.example/?a=${part.repeat(7_900 / part.length)}`)
  expect(performance.now() - start).toBeLessThan(100)
})
