import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isGtin, readGtin } from '../../../../src/domain/feeds/row/gtin.ts'
import { readStock } from '../../../../src/domain/feeds/row/stock.ts'
import { naughty } from '../../../support/naughty.ts'

const inStock =
  `y|yes|true|1|in stock|instock|available|low stock|lowstock|low_stock|limited|Y|YES|True|In Stock|InStock|in_stock|
in-stock|LimitedAvailability|https://schema.org/InStock|http://schema.org/LimitedAvailability|https://schema.org/OnlineOnly|schema.org/InStock|
available for order|25|3.00|17+ in stock|12 in stock| in stock `.replaceAll('\n', '')
const outOfStock =
  `n|no|false|0|out of stock|outofstock|unavailable|backordered|preorder|pre-order|sold out|discontinued|N|No|Out of Stock|
OutofStock|OutOfStock|out_of_stock|out-of-stock|BackOrder|backorder|PreOrder|SoldOut|https://schema.org/OutOfStock|http://schema.org/SoldOut|
https://schema.org/PreOrder|https://schema.org/BackOrder|https://schema.org/Discontinued|https://schema.org/InStoreOnly|
https://schema.org/MadeToOrder|https://schema.org/Reserved|https://schema.org/PreSale|0.00|-3|0 in stock`.replaceAll(
    '\n',
    '',
  )

test.each(inStock.split('|'))('S2 §7.1.1: the stock word %j means in stock', (word) => {
  expect(readStock(word)).toEqual({ inStock: true, isRecognised: true })
})

test.each(outOfStock.split('|'))('S2 §7.1.1: the stock word %j means out of stock', (word) => {
  expect(readStock(word)).toEqual({ inStock: false, isRecognised: true })
})

test.each(['maybe', 'ships in 2 weeks', 'ask', '???', 'x'.repeat(200_000), '1'.repeat(200_000)])(
  'S2 §7.1.1: a word that is not in the table counts as in stock',
  (word) => {
    expect(readStock(word)).toEqual({ inStock: true, isRecognised: false })
  },
)

test('S2 §7.1.1: no word at all counts as in stock', () => {
  for (const word of ['', '  ', null, undefined]) expect(readStock(word)).toEqual({ inStock: true, isRecognised: true })
})

test.each<[string, string]>([
  ['020892215511', '020892215511'],
  ['0 20892 21551 1', '020892215511'],
  ['020-892-215511', '020892215511'],
  ['UPC: 020892215511', '020892215511'],
  ['4006381333931', '4006381333931'],
  ['EAN 4006381333931', '4006381333931'],
  ['gtin-13: 4006381333931', '4006381333931'],
  ['96385074', '96385074'],
  ['00012345600012', '00012345600012'],
  ['978-3-16-148410-0', '9783161484100'],
  ['ISBN: 978-3-16-148410-0', '9783161484100'],
  ['0-8044-2957-X', '9780804429573'],
  ['isbn:0306406152', '9780306406157'],
  ["'020892215511", '020892215511'],
  ['020892215511.0', '020892215511'],
])('S2 §7.1.1: the code %j is %s, and valid', (text, gtin) => {
  expect(readGtin(text)).toEqual({ gtin, isValid: true })
})

test.each<[string, string]>([
  ['020892215513', '020892215513'],
  ['20892215513', '20892215513'],
  ['12345', '12345'],
  ['0012345', '0012345'],
  ['4006381333932', '4006381333932'],
])('S2 §7.1.1, FAULTS: the code %j is kept as it is, neither padded nor believed', (text, gtin) => {
  expect(readGtin(text)).toEqual({ gtin, isValid: false })
})

test.each<[string, string]>([
  ['2.08922E+11', 'GTIN_SHORTENED'],
  ['2,08922E+11', 'GTIN_SHORTENED'],
  ['2E+11', 'GTIN_SHORTENED'],
  ['4.00638e12', 'GTIN_SHORTENED'],
  ['New York', 'GTIN_UNREADABLE'],
  ['Apt 5B', 'GTIN_UNREADABLE'],
  ['n/a', 'GTIN_UNREADABLE'],
  ['-', 'GTIN_UNREADABLE'],
  ['123456789012345', 'GTIN_UNREADABLE'],
  ['1'.repeat(200_000), 'GTIN_UNREADABLE'],
  ['020892215513,4006381333931', 'GTIN_UNREADABLE'],
])('FORMATS 1.3: a code column that holds no code has none: case %#', (text, note) => {
  expect(readGtin(text)).toEqual({ gtin: null, isValid: false, note })
})

test('a code column that is blank or all zeros has no code, and nothing to note', () => {
  for (const text of ['', ' ', null, undefined, '0', '000000000000'])
    expect(readGtin(text)).toEqual({ gtin: null, isValid: false })
})

test('a check digit finds every single wrong digit', () => {
  const body = fc
    .constantFrom(7, 11, 12, 13)
    .chain((length) => fc.stringMatching(new RegExp(`^[1-9]\\d{${length - 1}}$`)))
  fc.assert(
    fc.property(body, fc.nat(), fc.integer({ min: 1, max: 9 }), (body, at, shift) => {
      const valid = Array.from({ length: 10 }, (_, digit) => `${body}${digit}`).filter(isGtin)
      expect(valid).toHaveLength(1)
      const digits = (valid[0] ?? '').split('')
      const place = at % digits.length
      digits[place] = String((Number(digits[place]) + shift) % 10)
      expect(isGtin(digits.join(''))).toBe(false)
    }),
  )
})

test('S13: no text makes them throw', () => {
  for (const text of naughty)
    expect([typeof readStock(text).inStock, typeof readGtin(text).isValid]).toEqual(['boolean', 'boolean'])
})
