import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pricesOfRow, type PriceColumns } from '../../../../src/domain/feeds/row/prices-of-row.ts'
import { compareAmounts } from '../../../../src/domain/price/compare-amounts.ts'

const now = new Date('2026-11-19T12:00:00Z')

/** The prices of a USD row in short: `15.99 before 18.99`, `15.99`, or the code and the column. */
function read(row: Omit<PriceColumns, 'now'>) {
  const prices = pricesOfRow({ currency: 'USD', now, ...row })
  if (!prices.ok) return `${prices.code} ${prices.column}`
  return prices.originalAmount === null ? prices.amount : `${prices.amount} before ${prices.originalAmount}`
}

test.each<[Omit<PriceColumns, 'now'>, string]>([
  [{ price: '18.99', salePrice: '15.99' }, '15.99 before 18.99'],
  [{ salePrice: '15.99' }, '15.99'],
  [{ price: '18.99' }, '18.99'],
  [{ price: '18.99', originalPrice: '20.00' }, '18.99 before 20.00'],
  [{ price: '18.99', salePrice: '15.99', originalPrice: '20.00' }, '15.99 before 20.00'],
  [{ salePrice: '15.99', originalPrice: '20.00' }, '15.99 before 20.00'],
  [{ price: '$1,299.00', salePrice: '$999.00' }, '999.00 before 1299.00'],
  [{ price: '100', salePrice: '99.5' }, '99.5 before 100'],
])('S2 §7.1.1: of %j the prices are %s', (row, prices) => {
  expect(read(row)).toBe(prices)
})

test.each<[string, Omit<PriceColumns, 'now'>, string]>([
  ['blank', { price: '18.99', salePrice: '' }, '18.99'],
  ['blank', { price: '18.99', salePrice: ' ' }, '18.99'],
  ['N/A', { price: '18.99', salePrice: 'N/A' }, '18.99'],
  ['zero', { price: '18.99', salePrice: '0' }, '18.99'],
  ['zero', { price: '18.99', salePrice: '$0.00' }, '18.99'],
  ['over', { price: '18.99', salePrice: '15.99', saleWindow: { end: '2026-11-19T12:00:00Z' } }, '18.99'],
  ['to come', { price: '18.99', salePrice: '15.99', saleWindow: { start: '2026-11-19T12:00:01Z' } }, '18.99'],
  ['on', { price: '18.99', salePrice: '15.99', saleWindow: { start: '2026-11-19T12:00:00Z' } }, '15.99 before 18.99'],
  [
    'on',
    { price: '18.99', salePrice: '15.99', saleWindow: { interval: '2026-11-19/2026-11-19' } },
    '15.99 before 18.99',
  ],
  ['over, and no price', { salePrice: '15.99', saleWindow: { end: '2026-11-18' } }, 'PRICE_MISSING price'],
  [
    'to come, with an original',
    { price: '18.99', salePrice: '15.99', originalPrice: '20', saleWindow: { start: '2027-01-01' } },
    '18.99 before 20',
  ],
])('RULINGS 25: a sale that is %s: of %j the prices are %s', (_what, row, prices) => {
  expect(read(row)).toBe(prices)
})

test('a sale whose window nobody can read is not believed, for its price may be over', () => {
  expect(read({ price: '18.99', salePrice: '15.99', saleWindow: { interval: 'soon' } })).toBe('18.99')
})

test.each<[string, Omit<PriceColumns, 'now'>, string]>([
  ['equal', { price: '18.99', originalPrice: '18.99' }, '18.99'],
  ['equal, written otherwise', { price: '18.5', originalPrice: '18.50' }, '18.5'],
  ['less', { price: '18.99', originalPrice: '9.99' }, '18.99'],
  ['zero', { price: '18.99', originalPrice: '0.00' }, '18.99'],
  ['no price', { price: '18.99', originalPrice: 'see shop' }, '18.99'],
  ['zero beside a sale', { price: '18.99', salePrice: '15.99', originalPrice: '0' }, '15.99 before 18.99'],
  ['no price beside a sale', { price: 'POA', salePrice: '15.99' }, '15.99'],
  ['of another currency', { price: '18.99', originalPrice: '25.00 EUR' }, '18.99'],
  ['below the sale', { price: '15.00', salePrice: '18.99' }, '18.99'],
])('a price before that is %s is none, and no reason to refuse the row', (_what, row, prices) => {
  expect(read(row)).toBe(prices)
})

test.each<[Omit<PriceColumns, 'now'>, string]>([
  [{}, 'PRICE_MISSING price'],
  [{ price: '', salePrice: '' }, 'PRICE_MISSING price'],
  [{ price: '0.00' }, 'PRICE_ZERO price'],
  [{ salePrice: '0.00' }, 'PRICE_ZERO salePrice'],
  [{ price: '0', salePrice: '0' }, 'PRICE_ZERO price'],
  [{ price: 'POA' }, 'PRICE_ON_REQUEST price'],
  [{ price: '-5' }, 'PRICE_NEGATIVE price'],
  [{ price: '5-10' }, 'PRICE_RANGE price'],
  [{ price: 'New York' }, 'PRICE_INVALID price'],
  [{ price: '99999999' }, 'PRICE_TOO_HIGH price'],
  [{ price: '18.99', salePrice: 'New York' }, 'PRICE_INVALID salePrice'],
  [{ price: '18.99', salePrice: '5-10' }, 'PRICE_RANGE salePrice'],
  [{ originalPrice: '20.00' }, 'PRICE_MISSING price'],
])('issue 5 §2: the row %j is refused with %s', (row, refusal) => {
  expect(read(row)).toBe(refusal)
})

const currencyOf = (row: Omit<PriceColumns, 'now'>) => {
  const prices = pricesOfRow({ now, ...row })
  return prices.ok ? prices.currency : `${prices.code} ${prices.column}`
}

test.each<[Omit<PriceColumns, 'now'>, string]>([
  [{ price: '5', currency: 'EUR', feedCurrency: 'USD' }, 'EUR'],
  [{ price: '5', currency: ' eur ', feedCurrency: 'USD' }, 'EUR'],
  [{ price: '5', currency: '€', feedCurrency: 'USD' }, 'EUR'],
  [{ price: '5', currency: 'US Dollars' }, 'USD'],
  [{ price: '$5', currency: 'CAD' }, 'CAD'],
  [{ price: '$5', currency: 'EUR' }, 'EUR'],
  [{ price: '5 EUR', feedCurrency: 'USD' }, 'EUR'],
  [{ price: '5,00 €', feedCurrency: 'USD' }, 'EUR'],
  [{ price: '$5', feedCurrency: 'CAD' }, 'CAD'],
  [{ price: '$5', feedCurrency: 'EUR' }, 'USD'],
  [{ price: '$5' }, 'USD'],
  [{ price: '5 kr', feedCurrency: 'SEK' }, 'SEK'],
  [{ price: '5', feedCurrency: 'GBP' }, 'GBP'],
  [{ price: '5', currency: '', feedCurrency: 'GBP' }, 'GBP'],
  [{ price: '5 EUR', salePrice: '4 GBP', feedCurrency: 'USD' }, 'GBP'],
  // refused
  [{ price: '5' }, 'CURRENCY_UNKNOWN currency'],
  [{ price: '5 kr' }, 'CURRENCY_UNKNOWN currency'],
  [{ price: '5', feedCurrency: 'XYZ' }, 'CURRENCY_UNKNOWN currency'],
  [{ price: '5', currency: 'XYZ', feedCurrency: 'USD' }, 'CURRENCY_UNKNOWN currency'],
  [{ price: '5', currency: '12.99', feedCurrency: 'USD' }, 'CURRENCY_UNKNOWN currency'],
  [{ price: '5', currency: 'x'.repeat(200_000), feedCurrency: 'USD' }, 'CURRENCY_UNKNOWN currency'],
  [{ price: '5 EUR', currency: 'USD' }, 'CURRENCY_CONFLICT price'],
  [{ price: '£5', currency: 'USD' }, 'CURRENCY_CONFLICT price'],
  [{ price: '5 USD', salePrice: '4,00 €', currency: 'USD' }, 'CURRENCY_CONFLICT salePrice'],
])('issue 5 §2: currency from the column, else the price, else the feed: of %j it is %s', (row, currency) => {
  expect(currencyOf(row)).toBe(currency)
})

test('S2 §7.1.1: the currency of the feed also tells thousandths, and its mark what one mark means', () => {
  expect(pricesOfRow({ price: '10.000', feedCurrency: 'KWD', now })).toMatchObject({ amount: '10.000' })
  expect(pricesOfRow({ price: '10.000', currency: 'EUR', feedCurrency: 'KWD', now })).toMatchObject({ amount: '10000' })
  expect(pricesOfRow({ price: '10.000', currency: 'EUR', decimalMark: '.', now })).toMatchObject({ amount: '10.000' })
})

test.each([
  ['9.99', '10', -1],
  ['10', '9.99', 1],
  ['10', '10.00', 0],
  ['0010', '10.0', 0],
  ['0.1', '0.09', 1],
  ['9007199254740993', '9007199254740992', 1],
  ['0.10000000000000000001', '0.1', 1],
])('%s compared with %s is %i', (one, other, order) => {
  expect(compareAmounts(one, other)).toBe(order)
})

test('amounts compare as their cents do', () => {
  const plain = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (one, other) => {
      expect(compareAmounts(plain(one), plain(other))).toBe(Math.sign(one - other))
    }),
  )
})
