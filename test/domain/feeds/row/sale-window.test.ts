import { expect, test } from 'vitest'
import { isOnSale, readSaleWindow, type SaleColumns } from '../../../../src/domain/feeds/row/sale-window.ts'

/** The window in short: `from..until`, with open sides left out. */
function read(columns: SaleColumns): string {
  const read = readSaleWindow(columns)
  if (!read.ok) return 'unreadable'
  const { from, until } = read.window
  return `${from?.toJSON().replace('.000', '') ?? ''}..${until?.toJSON().replace('.000', '') ?? ''}`
}

test.each([
  ['2026-11-01T13:00-0800/2026-11-30T15:30-0800', '2026-11-01T21:00:00Z..2026-11-30T23:30:00Z'],
  ['2026-11-01T13:00:00Z/2026-11-30T15:30:00Z', '2026-11-01T13:00:00Z..2026-11-30T15:30:00Z'],
  ['2026-11-01T13:00:00+01:00/2026-11-30T15:30:00+01', '2026-11-01T12:00:00Z..2026-11-30T14:30:00Z'],
  ['2026-11-01 13:00 / 2026-11-30 15:30', '2026-11-01T13:00:00Z..2026-11-30T15:30:00Z'],
  ['2026-11-01/2026-11-30', '2026-11-01T00:00:00Z..2026-12-01T00:00:00Z'],
  ['2024-02-29/2024-02-29', '2024-02-29T00:00:00Z..2024-03-01T00:00:00Z'],
  ['2026-11-01/', '2026-11-01T00:00:00Z..'],
  ['/2026-11-30', '..2026-12-01T00:00:00Z'],
  ['2026-11-01/..', '2026-11-01T00:00:00Z..'],
  ['2026-11-01/P7D', '2026-11-01T00:00:00Z..2026-11-08T00:00:00Z'],
  ['2026-11-01T12:00Z/P1W1DT6H30M', '2026-11-01T12:00:00Z..2026-11-09T18:30:00Z'],
  ['', '..'],
  ['/', '..'],
])('issue 5 §2: the sale interval %j is %s', (interval, window) => {
  expect(read({ interval })).toBe(window)
})

test.each<[SaleColumns, string]>([
  [{}, '..'],
  [{ start: '', end: ' ' }, '..'],
  [{ start: '2026-11-01' }, '2026-11-01T00:00:00Z..'],
  [{ end: '2026-11-30' }, '..2026-12-01T00:00:00Z'],
  [{ start: '2026/11/01 08:00', end: '2026/11/30 20:00:30' }, '2026-11-01T08:00:00Z..2026-11-30T20:00:30Z'],
  [{ start: '2026-11-01T00:00:00.000Z', end: null }, '2026-11-01T00:00:00Z..'],
  [{ interval: '2026-11-01/2026-11-02', start: '2020-01-01' }, '2026-11-01T00:00:00Z..2026-11-03T00:00:00Z'],
])('issue 5 §2: the sale columns %j are %s', (columns, window) => {
  expect(read(columns)).toBe(window)
})

test.each([
  'soon',
  '2026-11-01',
  '2026-11-30/2026-11-01',
  '2026-02-30/2026-03-01',
  '2026-13-01/2026-14-01',
  '2026-11-01T25:00/2026-11-02',
  '2026-11-01T12:00+99:00/2026-11-02',
  '11/30/2026',
  '2026-11-01/soon',
  '2026-11-01/P0D',
  'P7D/2026-11-01',
  '2026-11-01/2026-11-02/2026-11-03',
  '9999-12-31/9999-12-31',
  '0000-01-01/2026-01-01',
  '1/'.repeat(100_000),
  'P'.repeat(200_000),
])('a sale interval that makes no sense is told as such: case %#', (interval) => {
  expect(read({ interval })).toBe('unreadable')
})

test('RULINGS 25: a sale is on from its first moment to just before its end', () => {
  const window = { from: new Date('2026-11-01T00:00:00Z'), until: new Date('2026-11-02T00:00:00Z') }
  const on = ['2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00Z', '2026-11-01T23:59:59.999Z', '2026-11-02T00:00:00Z']
  expect(on.map((now) => isOnSale(window, new Date(now)))).toEqual([false, true, true, false])
  expect(isOnSale({ from: null, until: null }, new Date(0))).toBe(true)
})
