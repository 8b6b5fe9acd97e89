import { expect, test } from 'vitest'
import { findDecimalMark, type DecimalMarkName } from '../../../../src/domain/feeds/row/decimal-mark.ts'

const find = (prices: string[], decimalMark: DecimalMarkName | null = null) =>
  findDecimalMark(
    prices.map((price) => ({ price })),
    { decimalMark, defaultCurrency: 'USD' },
  )

test.each<[string[], DecimalMarkName]>([
  [['12.990', '24.50'], 'POINT'],
  [['12.990', '$1,299.00', '7'], 'POINT'],
  [['1.299', '12,50'], 'COMMA'],
  [['1.299', '1.234,56 €'], 'COMMA'],
  [['1.299', '1.299.000'], 'COMMA'],
])('issue 5 §2: the file that holds %j has the decimal mark %s', (prices, name) => {
  const mark = name === 'POINT' ? '.' : ','
  expect(find(prices)).toEqual({ decimalMark: name, from: 'FILE', mark })
})

test('issue 5 §2: sale prices and those before tell it, too', () => {
  const feed = { decimalMark: null, defaultCurrency: 'EUR' }
  expect(findDecimalMark([{ price: '1.299', salePrice: '0,00' }], feed)).toMatchObject({ decimalMark: 'COMMA' })
  expect(findDecimalMark([{ price: '1.299', originalPrice: '9.5' }], feed)).toMatchObject({ decimalMark: 'POINT' })
})

test('issue 5 §2: a file that contradicts itself has none, and that is told with a price of each kind', () => {
  expect(find(['12.99', '12,99', '1.299'])).toEqual({
    decimalMark: null,
    from: null,
    mark: undefined,
    warning: {
      code: 'DECIMAL_MARK_UNCLEAR',
      message: 'Some prices are like "12.99", others like "12,99": each was read by itself.',
    },
  })
})

test('a file of which nothing can be found out is told only where a price may mean two things', () => {
  expect(find(['12', 'POA', ''])).toEqual({ decimalMark: null, from: null, mark: undefined })
  expect(find(['12', '12.990'])).toMatchObject({
    decimalMark: null,
    warning: { message: 'No price tells whether "12.990" means thousands: each was read by itself.' },
  })
})

test('what the feed is set to wins; where no price agrees with it, that is told', () => {
  expect(find(['12.99', '1.299'], 'COMMA')).toEqual({
    decimalMark: 'COMMA',
    from: 'SETTING',
    mark: ',',
    warning: {
      code: 'DECIMAL_MARK_UNCLEAR',
      message: 'The feed is set to COMMA, but the prices are like "12.99".',
    },
  })
  expect(find(['12.99', '12,99'], 'COMMA')).toEqual({ decimalMark: 'COMMA', from: 'SETTING', mark: ',' })
  expect(find(['1.299'], 'POINT')).toEqual({ decimalMark: 'POINT', from: 'SETTING', mark: '.' })
})
