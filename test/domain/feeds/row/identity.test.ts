import { expect, test } from 'vitest'
import {
  itemIdentities,
  readIdentifier,
  resolveIdentity,
  type Identifiers,
  type IdentityDialect,
} from '../../../../src/domain/feeds/row/identity.ts'

const hash = Buffer.alloc(32, 0xab)
const hex = 'ab'.repeat(32)
const all: Identifiers = { itemId: 'item-1', sku: 'SKU-1', hash }

test.each<[IdentityDialect, Identifiers, string]>([
  ['IMPACT', all, 'IMPACT_ITEM_ID item-1'],
  ['IMPACT', { ...all, itemId: ' ' }, 'SKU SKU-1'],
  ['IMPACT', { hash }, `URL_HASH ${hex}`],
  ['IMPACT', { itemId: null, sku: null, hash }, `URL_HASH ${hex}`],
])('S2 §3.1: of a %s row with %j the identity is %s', (dialect, row, identity) => {
  const found = resolveIdentity(row, dialect)
  expect(`${found?.type} ${found?.value}`).toBe(identity)
})

test.each<[IdentityDialect, string]>([
  ['IMPACT', 'IMPACT_ITEM_ID item-1'],
  ['AWIN', 'NETWORK_ITEM_ID item-1'],
  ['GENERIC', 'NETWORK_ITEM_ID item-1'],
  ['GOOGLE', 'SKU SKU-1'],
  ['CJ', 'SKU SKU-1'],
  ['AVANTLINK', 'SKU SKU-1'],
  ['RAKUTEN', 'SKU SKU-1'],
  ['SHAREASALE', 'SKU SKU-1'],
])('RULINGS 25: a row of %s that has everything is %s', (dialect, identity) => {
  const found = resolveIdentity(all, dialect)
  expect(`${found?.type} ${found?.value}`).toBe(identity)
})

test('RULINGS 25: ShareASale’s ProductID never tells a product apart', () => {
  expect(resolveIdentity({ itemId: '123', hash }, 'SHAREASALE')).toEqual({ type: 'URL_HASH', value: hex })
})

test('every dialect is in the table above', () => {
  expect(Object.keys(itemIdentities)).toHaveLength(8)
})

test('a row without any identifier has no identity', () => {
  expect(resolveIdentity({}, 'IMPACT')).toBeNull()
  expect(resolveIdentity({ itemId: '', sku: 'N/A', hash: null }, 'IMPACT')).toBeNull()
})

test.each([
  ['abc123', 'abc123'],
  ['  abc  ', 'abc'],
  ['a \u00a0 b\tc', 'a b c'],
  ['AbC', 'AbC'],
  ['0012', '0012'],
  ['90226 - case', '90226 - case'],
  ['1E5', '1E5'],
  ['e\u0301', '\u00e9'],
  ['x'.repeat(200), 'x'.repeat(200)],
  // nothing that tells apart
  ['x'.repeat(201), null],
  ['', null],
  ['   ', null],
  ['0', null],
  ['-', null],
  ['N/A', null],
  ['null', null],
  ['#N/A', null],
  ['1.23457E+11', null],
  ['2,08922E+11', null],
  ['a\u0000b', null],
  ['a\u001bb', null],
  ['\ud800', null],
  [null, null],
  [undefined, null],
])('the identifier %j is kept as %j', (given, kept) => {
  expect(readIdentifier(given)).toBe(kept)
})

test('S16: 200 kB are no identifier, and are found to be none in no time', () => {
  const start = performance.now()
  expect([' '.repeat(200_000) + 'x', '1'.repeat(200_000), 'e+'.repeat(100_000)].map(readIdentifier)).toEqual([
    null,
    null,
    null,
  ])
  expect(performance.now() - start).toBeLessThan(50)
})
