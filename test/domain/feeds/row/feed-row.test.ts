import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RawRow } from '../../../../src/domain/feeds/dialects/field.ts'
import { priceSignature } from '../../../../src/domain/feeds/row/price-signature.ts'
import { readFeedRow, type FeedRow, type Rejection } from '../../../../src/domain/feeds/row/feed-row.ts'

const now = new Date('2026-11-19T12:00:00Z')
const whole: RawRow = {
  title: 'Knife',
  link: 'https://shop.example/p/1?utm_source=x',
  price: '9.99',
  itemId: 'i1',
  sku: 's1',
}
const read = (more: RawRow = {}, currency = 'USD'): FeedRow | Rejection =>
  readFeedRow({ ...whole, ...more }, 7, { dialect: 'IMPACT', currency, now })
const accepted = (more: RawRow = {}, currency?: string) => {
  const row = read(more, currency)
  if ('code' in row) throw new Error(row.code)
  return row
}

test('S2 §7.1.1: a row with all that is read becomes an offer with all of it', () => {
  const all = {
    originalPrice: '12.50',
    currency: 'EUR',
    stock: 'out of stock',
    brand: 'Maker',
    category: 'Knives',
    image: 'https://shop.example/1.jpg',
    upc: '020892215511',
  }
  expect(accepted(all)).toMatchObject({
    line: 7,
    identity: { type: 'IMPACT_ITEM_ID', value: 'i1' },
    title: 'Knife',
    link: whole.link,
    url: 'https://shop.example/p/1',
    urlHash: createHash('sha256').update('shop.example/p/1').digest(),
    amount: '9.99',
    originalAmount: '12.50',
    currency: 'EUR',
    signature: priceSignature({ amount: '9.99', currency: 'EUR' }),
    inStock: false,
    brand: 'Maker',
    category: 'Knives',
    imageUrl: 'https://shop.example/1.jpg',
    upc: '020892215511',
  })
})

test('S2 §7.1.1: a row needs a title, a link and a price; all else may be missing', () => {
  const nothing = { imageUrl: null, brand: null, category: null, upc: null, originalAmount: null, inStock: true }
  expect(accepted()).toMatchObject(nothing)
})

test.each<[RawRow, string, string]>([
  [{ title: undefined }, 'TITLE_MISSING', 'title'],
  [{ title: '' }, 'TITLE_MISSING', 'title'],
  [{ link: undefined }, 'LINK_MISSING', 'link'],
  [{ link: 'javascript:alert(1)' }, 'INVALID_URL', 'link'],
  [{ link: undefined, landingLink: 'n/a' }, 'INVALID_URL', 'landingLink'],
  [{ price: 'POA' }, 'PRICE_ON_REQUEST', 'price'],
  [{ salePrice: '5-10' }, 'PRICE_RANGE', 'salePrice'],
  [{ currency: 'XYZ' }, 'CURRENCY_UNKNOWN', 'currency'],
])('S2 §7.1: a row with %j is refused with %s of the field %s', (more, code, field) => {
  expect(read(more)).toEqual({ code, field, message: expect.stringMatching(/^\w+.* /) as unknown })
})

test('issue 5 §2: the currency comes from the column, else from the feed', () => {
  expect(accepted({}, 'GBP').currency).toBe('GBP')
  expect(accepted({ currency: 'EUR' }, 'GBP').currency).toBe('EUR')
})

test('S2 §3.5: every identifier is kept, whichever tells the product apart', () => {
  const hash = createHash('sha256').update('shop.example/p/1').digest()
  expect(accepted()).toMatchObject({ identity: { type: 'IMPACT_ITEM_ID' }, itemId: 'i1', sku: 's1', urlHash: hash })
  const bySku = accepted({ itemId: undefined })
  expect(bySku).toMatchObject({ identity: { type: 'SKU', value: 's1' }, itemId: null, sku: 's1', urlHash: hash })
  const byUrl = accepted({ itemId: undefined, sku: undefined })
  expect(byUrl).toMatchObject({ identity: { type: 'URL_HASH', value: hash.toString('hex') }, itemId: null, sku: null })
})

test('FORMATS 1.3: the page that stands beside a tracking link is the product’s, and the link stays as it was given', () => {
  const link = 'https://brand.pxf.io/c/1/2/3?prodsku=1'
  expect(accepted({ link, landingLink: 'https://shop.example/p/2' })).toMatchObject({
    link,
    url: 'https://shop.example/p/2',
  })
  expect(accepted({ link, landingLink: 'n/a' })).toMatchObject({ link, url: link })
})

test('RULINGS 26: a row that has only its page has no link that pays, and none is made of the page', () => {
  expect(accepted({ link: undefined, landingLink: 'https://shop.example/p/2' })).toMatchObject({
    link: '',
    url: 'https://shop.example/p/2',
  })
})

test.each<RawRow>([
  { title: 'Other' },
  { link: 'https://shop.example/p/1?utm_source=other' },
  { link: 'https://shop.example/p/2' },
  { image: 'https://shop.example/2.jpg' },
  { brand: 'Other' },
  { category: 'Other' },
  { upc: '020892215511' },
  { sku: 's2' },
  { originalPrice: '12.50' },
  { stock: 'out of stock' },
])('RULINGS 12: a row that says %j is another version, at the same price', (more) => {
  const [before, after] = [accepted(), accepted(more)]
  expect(after.versionHash).not.toEqual(before.versionHash)
  expect(after.signature).toEqual(before.signature)
})

test('RULINGS 12: another price is no other version, and another line is neither', () => {
  const before = accepted()
  const after = accepted({ price: '10.00' })
  expect(after.versionHash).toEqual(before.versionHash)
  expect(after.signature).not.toEqual(before.signature)
  const moved = readFeedRow(whole, 8, { dialect: 'IMPACT', currency: 'USD', now })
  expect(moved).toEqual({ ...before, line: 8 })
})

test('a picture that cannot be shown, and a text that is too long, are no reason to refuse a row', () => {
  expect(accepted({ image: 'javascript:alert(1)' }).imageUrl).toBeNull()
  const long = accepted({ title: 'x'.repeat(1_001), brand: 'x'.repeat(201), category: 'x'.repeat(501) })
  expect([long.title, long.brand, long.category].map((text) => text?.length)).toEqual([1_000, 200, 500])
})

test('S2 §4.2: the promotion of a row belongs to its price: with another one the signature is another', () => {
  const plain = accepted()
  expect(plain).toMatchObject({ promo: null, signature: priceSignature({ amount: '9.99', currency: 'USD' }) })
  const promo = { couponCode: 'SAVE5', couponText: '5 off', promotion: 'Spring' }
  const row = accepted(promo)
  expect(row.promo).toBe(JSON.stringify(promo))
  expect(row.signature).toEqual(priceSignature({ amount: '9.99', currency: 'USD', promo }))
  expect(row.versionHash).toEqual(plain.versionHash)
  expect(accepted({ couponCode: 'x'.repeat(501) }).promo).toHaveLength(500 + '{"couponCode":""}'.length)
})

test.each([
  ['javascript:', 'javascript:alert(1)'],
  ['data:', 'data:text/html,x'],
  ['a password', 'https://user:secret@shop.example/'],
  ['no name of a host', 'http://[::1]/'],
  ['9,000 characters', `https://shop.example/${'a'.repeat(9_000)}`],
])('FAULTS S13: beside a good page a link of %s is none, so that nobody is sent to it', (_, link) => {
  expect(accepted({ landingLink: 'https://shop.example/p/1', link })).toMatchObject({
    link: '',
    url: 'https://shop.example/p/1',
  })
})
