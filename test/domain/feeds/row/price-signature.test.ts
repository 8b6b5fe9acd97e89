import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, priceSignature, shortAmount } from '../../../../src/domain/feeds/row/price-signature.ts'

const price = { amount: '12.50', currency: 'USD', promo: { code: 'A', until: '2026-12-31' } }

test('issue 5 §3: the signature is SHA-256 over amount, currency and promotion, all 32 bytes of it', () => {
  const text = '{"amount":"12.5","currency":"USD","promo":null}'
  expect(priceSignature({ amount: '12.50', currency: 'USD' })).toEqual(createHash('sha256').update(text).digest())
})

test.each([
  ['the amount', { ...price, amount: '12.51' }],
  ['the currency', { ...price, currency: 'CAD' }],
  ['the promotion', { ...price, promo: { ...price.promo, code: 'B' } }],
  ['no promotion', { ...price, promo: null }],
])('S2 §2.6: %s makes another signature', (_what, other) => {
  expect(priceSignature(other)).not.toEqual(priceSignature(price))
})

test.each([
  ['zeros behind', { ...price, amount: '12.5' }],
  ['zeros before', { ...price, amount: '012.500' }],
  ['the order of fields', { ...price, promo: { until: '2026-12-31', code: 'A' } }],
  ['a field that is undefined', { ...price, promo: { ...price.promo, note: undefined } }],
])('issue 5 §3: %s make no other signature', (_what, same) => {
  expect(priceSignature(same)).toEqual(priceSignature(price))
})

test('no promotion is null, and null is undefined', () => {
  expect(priceSignature({ ...price, promo: undefined })).toEqual(priceSignature({ ...price, promo: null }))
})

test.each([
  ['12.50', '12.5'],
  ['12.00', '12'],
  ['12', '12'],
  ['100', '100'],
  ['0.10', '0.1'],
  ['007.0', '7'],
  ['1.11000000000000009770', '1.1100000000000000977'],
])('the amount %s is %s in short', (amount, short) => {
  expect(shortAmount(amount)).toBe(short)
})

test('canonical JSON is JSON, the same for every order of fields, at every depth', () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, part]) => [name, reversed(part)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(reversed(value) as never)).toBe(text)
    }),
  )
})
