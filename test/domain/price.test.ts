import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalMarkOf, parsePrice, type PriceHints } from '../../src/domain/price.ts'
import { naughty } from '../support/naughty.ts'
import { realPrices } from './price/real-prices.ts'

/** What a price comes to, in the form of the table: `12.99 USD`, or the code. */
function read(text: string, hints?: PriceHints): string {
  const price = parsePrice(text, hints)
  if (!price.ok) return price.code
  return price.currency === undefined ? price.amount : `${price.amount} ${price.currency}`
}

test.each(realPrices)('issue 5 §2: the price %j is read as %s', (text, expected) => {
  expect(read(text)).toBe(expected)
})

test('FAULTS: of several hundred real prices, at least 99.5 % are read right', () => {
  expect(realPrices.length).toBeGreaterThan(350)
  const right = realPrices.filter(([text, expected]) => read(text) === expected)
  expect(right.length / realPrices.length).toBeGreaterThanOrEqual(0.995)
})

test.each<[string, PriceHints, string]>([
  ['1.299', {}, '1299'],
  ['1,299', {}, '1299'],
  ['1.299', { decimalMark: '.' }, '1.299'],
  ['1.299', { decimalMark: ',' }, '1299'],
  ['1,299', { decimalMark: ',' }, '1.299'],
  ['1,299', { decimalMark: '.' }, '1299'],
  ['1.299,00', { decimalMark: '.' }, '1299.00'],
  ['12,99', { decimalMark: '.' }, '12.99'],
  ['1.299', { currency: 'KWD' }, '1.299'],
  ['1.299', { currency: 'TND' }, '1.299'],
  ['1.299', { currency: 'EUR' }, '1299'],
  ['1.299 KWD', { currency: 'EUR' }, '1.299 KWD'],
  ['1.299 EUR', { currency: 'KWD' }, '1299 EUR'],
  ['1.299.000', { currency: 'KWD' }, '1299000'],
])('a single mark before three digits: %j with %j is %s', (text, hints, amount) => {
  expect(read(text, hints)).toBe(amount)
})

test.each<[string, string, string]>([
  ['$12.99', 'CAD', '12.99 CAD'],
  ['$12.99', 'AUD', '12.99 AUD'],
  ['$12.99', 'EUR', '12.99 USD'],
  ['US$12.99', 'CAD', '12.99 USD'],
  ['£12.99', 'EGP', '12.99 EGP'],
  ['¥129', 'CNY', '129 CNY'],
  ['199 kr', 'SEK', '199 SEK'],
  ['199 kr', 'DKK', '199 DKK'],
  ['199 kr', 'EUR', '199'],
  ['Rs. 1,299', 'PKR', '1299 PKR'],
  ['16990 ft', 'HUF', '16990 HUF'],
  ['12.99', 'EUR', '12.99'],
  ['$12.99 CAD', 'USD', '12.99 CAD'],
  ['£12.99', 'USD', '12.99 GBP'],
  ['12.99 KM', 'BAM', '12.99 BAM'],
  ['12.99 KM', 'EUR', 'PRICE_INVALID'],
  ['12.99 ID', 'USD', '12.99'],
  ['nu 12,99', 'EUR', '12.99'],
  ['12,99 le kilo', 'EUR', '12.99'],
  ['Rp 31.500', 'USD', '31500 IDR'],
  ['129 lei', 'MDL', '129 MDL'],
  ['56,000 تومان', 'IRR', '56000'],
])('the currency known beforehand decides what a shared sign means: %s of a %s shop is %s', (text, currency, price) => {
  expect(read(text, { currency })).toBe(price)
})

test.each<[string, boolean | undefined]>([
  ['12.99 EUR', true],
  ['12,99 €', true],
  ['CA$12', true],
  ['$12 CAD', true],
  ['$12', false],
  ['£12', false],
  ['12', undefined],
  ['12 kr', undefined],
])('of %s it is said whether the currency is certain: %s', (text, isCertain) => {
  expect(parsePrice(text)).toMatchObject({ ok: true })
  expect((parsePrice(text) as { isCurrencyCertain?: boolean }).isCurrencyCertain).toBe(isCertain)
})

const cents = fc.integer({ min: 1, max: 999_999_999 })
const plain = (value: number) => `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}`
const grouped = (value: number, group: string, mark: string) => {
  const [whole = '', fraction = ''] = plain(value).split('.')
  return whole.replaceAll(/\B(?=(?:\d{3})+$)/g, group) + mark + fraction
}

test.each([
  [',', '.'],
  ['.', ','],
  [' ', ','],
  ['\u00a0', ','],
  ["'", '.'],
  ['’', '.'],
  ['', '.'],
  ['', ','],
])('DESIGN 10: an amount written with %j and %j is read back exactly, whatever stands around it', (group, mark) => {
  const around = fc.constantFrom<[string, string, string?]>(
    ['', ''],
    ['$', '', 'USD'],
    ['', ' €', 'EUR'],
    ['USD ', '', 'USD'],
    ['', 'CHF', 'CHF'],
    ['Price: £', ' each', 'GBP'], // prettier
  )
  fc.assert(
    fc.property(cents, around, (value, [before, behind, currency]) => {
      const amount = plain(value)
      const text = before + grouped(value, group, mark) + behind
      expect(read(text)).toBe(currency === undefined ? amount : `${amount} ${currency}`)
    }),
  )
})

test.each<[string, ReturnType<typeof decimalMarkOf>]>([
  ['12.50', '.'],
  ['12,50', ','],
  ['1.234,56', ','],
  ['1,299.00', '.'],
  ['$1,299.00', '.'],
  ['1.299,00 €', ','],
  ["1'299.00", '.'],
  ['1 299,00', ','],
  ['0,00', ','],
  ['0.999', '.'],
  ['.99', '.'],
  ['1234,567', ','],
  ['12.9900', '.'],
  ['1.299.000', ','],
  ['1,29,900', '.'],
  ['was 20,00 now 15,00', ','],
  ['&euro;12,50', ','],
  ['1.299', 'EITHER'],
  ['1,299', 'EITHER'],
  ['12.990 USD', 'EITHER'],
  ['1.299 KWD', 'EITHER'],
  ['.1.299', 'EITHER'],
  ['1299', null],
  ['1 299', null],
  ["1'299", null],
  ['1.234.56', null],
  ['35€ 99', null],
  ['12€50', null],
  [',75', null],
  ['50,-', null],
  ['', null],
  ['POA', null],
  [`${'1'.repeat(300)},50`, null],
])('issue 5 §2: %j by itself shows the decimal mark %j', (text, mark) => {
  expect(decimalMarkOf(text)).toBe(mark)
})

test('issue 5 §2: a price is read in two ways only where it says that it may be', () => {
  const marked = fc.array(fc.constantFrom('.', ',', "'", ' ', '$', '€', '-', '0', '1', '12', '299', '5000'), {
    minLength: 1,
    maxLength: 8,
  })
  const text = fc.oneof(
    fc.constantFrom(...realPrices.map(([text]) => text)),
    marked.map((parts) => parts.join('')),
  )
  const currency = fc.constantFrom(undefined, 'USD', 'EUR', 'KWD')
  fc.assert(
    fc.property(text, currency, (text, currency) => {
      const [point, comma] = (['.', ','] as const).map((decimalMark) => parsePrice(text, { currency, decimalMark }))
      if (decimalMarkOf(text, { currency }) === 'EITHER') return
      expect(point).toEqual(comma)
      expect(parsePrice(text, { currency })).toEqual(point)
    }),
    {
      numRuns: 2000,
      examples: [
        ['12.50', undefined],
        ['1.299,00', 'KWD'],
      ],
    }, // prettier
  )
})

test('what was read is read again as the same', () => {
  const text = fc.oneof(
    fc.constantFrom(...realPrices.map(([text]) => text)),
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789.,-$€ ')) }),
  )
  fc.assert(
    fc.property(text, (text) => {
      const first = parsePrice(text)
      if (!first.ok) return
      expect(first.amount).toMatch(/^(0|[1-9]\d*)(\.\d+)?$/)
      expect(parsePrice(first.amount, { decimalMark: '.' })).toEqual({ ok: true, amount: first.amount })
    }),
    { numRuns: 1000 },
  )
})

test('S13: no text makes it throw, and a refusal has a code', () => {
  for (const text of naughty) expect(read(text)).toMatch(/\S/)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void read(text)))
})

const hostile = 200_000
test.each([
  ['digits', '1'.repeat(hostile)],
  ['points', '.'.repeat(hostile)],
  ['groups', '1,'.repeat(hostile / 2)],
  ['blanks', `${' '.repeat(hostile)}x`],
  ['blanks between digits', '1 '.repeat(hostile / 2)],
  ['minuses', '-'.repeat(hostile)],
  ['signs', '$'.repeat(hostile)],
  ['letters', 'call'.repeat(hostile / 4)],
  ['entities', '&#36;'.repeat(hostile / 5)],
  ['zero-width characters', '\u200b'.repeat(hostile)],
])('S16: 200 kB of %s are refused in no time', (_what, text) => {
  const start = performance.now()
  expect(parsePrice(text)).toEqual({ ok: false, code: 'PRICE_INVALID' })
  expect(performance.now() - start).toBeLessThan(50)
})

test('a price among many blanks is a price still', () => {
  expect(read(`${' '.repeat(1000)}12.99${'\t'.repeat(1000)}`)).toBe('12.99')
  expect(read(`12.99${' y'.repeat(147)}`)).toBe('12.99')
  expect(read(`12.99${' y'.repeat(148)}`)).toBe('PRICE_INVALID')
})
