import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../../../src/domain/feeds/ingest/chunk.ts'
import { openTable, readChunks } from '../../../../src/domain/feeds/ingest/read-chunks.ts'
import { openBytes } from '../../../support/feed-files.ts'
import { memoryUsed } from '../../../support/memory.ts'

type Settings = Parameters<typeof openTable>[1]
const settings: Settings = {
  dialect: 'IMPACT',
  delimiter: null,
  quoting: null,
  columnMap: {},
  defaultCurrency: 'USD',
  decimalMark: null,
  maxRowCount: 1_000,
}

/** The chunks of a file, and what ended it before its time. */
async function read(text: string, more: Partial<Settings> = {}, limits: { size?: number; maxBytes?: number } = {}) {
  await using handle = await openBytes(text)
  const chunks: Chunk[] = []
  try {
    const given = { ...settings, ...more }
    const table = await openTable(handle, given, new AbortController().signal)
    for await (const chunk of readChunks(table, given, { size: 1_000, ...limits, now: new Date(0) })) chunks.push(chunk)
  } catch (error) {
    return { chunks, code: (error as { code?: string }).code }
  }
  return { chunks }
}
const one = async (text: string, more?: Partial<Settings>) => (await read(text, more)).chunks[0]!

const header = 'CatalogItemId,SKU,Name,Url,Current Price,Sale Price,Currency'
const row = (
  id: string,
  more: { sku?: string; name?: string; price?: string; sale?: string; currency?: string } = {},
) =>
  [
    id,
    more.sku ?? '',
    more.name ?? `N${id}`,
    `https://shop.example/${id}`,
    more.price ?? '9.99',
    more.sale ?? '',
    more.currency ?? '',
  ].join(',')
const file = (...rows: string[]) => [header, ...rows].join('\n')

test('issue 5 §2: a refused row is told with its code, line, column and what stood in it; the others go on', async () => {
  const text = file(
    row('1'),
    row('2', { price: 'POA' }),
    row('3', { name: '"two\nlines"' }),
    row('4', { name: ' ' }),
    row('5'),
  )
  const { rows, counters, samples, totals, errorCount } = await one(text)
  expect([...rows.values()].map(({ line }) => line)).toEqual([2, 4, 7])
  expect(counters).toMatchObject({ rowsRead: 5, rowsParsed: 3, productsRejected: 2 })
  expect(totals).toEqual({ PRICE_ON_REQUEST: 1, TITLE_MISSING: 1 })
  expect(errorCount).toBe(2)
  expect(samples).toMatchObject([
    {
      code: 'PRICE_ON_REQUEST',
      line: 3,
      details: { column: 'Current Price', row: { 'Current Price': 'POA', Name: 'N2' } },
    },
    { code: 'TITLE_MISSING', line: 6, details: { column: 'Name', row: { CatalogItemId: '4' } } },
  ])
})

test.each([
  [{ price: 'POA' }, 'Current Price'],
  [{ sale: 'POA' }, 'Sale Price'],
  [{ price: 'POA', sale: '0.00' }, 'Current Price'],
  [{ price: '8', sale: 'POA' }, 'Sale Price'],
  [{ price: '' }, 'Sale Price'],
  [{ currency: 'XYZ' }, 'Currency'],
])('issue 5 §2: of a row with %j the column is %s, from which the field was read', async (more, column) => {
  expect((await one(file(row('1', more)))).samples).toMatchObject([{ details: { column } }])
})

test('S2 §7.4: a row that cannot be read counts as read and as refused', async () => {
  const { counters, totals, errorCount, samples } = await one(file(row('1'), `${row('2')},more`, row('3')))
  expect(counters).toMatchObject({ rowsRead: 3, rowsParsed: 2, productsRejected: 1 })
  expect([totals, errorCount]).toEqual([{ ROW_TOO_LONG: 1 }, 1])
  expect(samples).toMatchObject([{ code: 'ROW_TOO_LONG', line: 3, details: { row: `${row('2')},more` } }])
})

test('S2 §7.5: of a product that stands twice the last row counts; that is noted and no error', async () => {
  const { rows, counters, samples, totals, errorCount } = await one(
    file(row('1', { price: '1.00' }), row('2'), row('1', { price: '2.00' }), row('1', { price: '3.00' })),
  )
  expect([...rows.values()].map(({ amount }) => amount)).toEqual(['3.00', '9.99'])
  expect(counters).toMatchObject({ rowsParsed: 4, duplicateKeyCount: 2 })
  expect([totals, errorCount]).toEqual([{ DUPLICATE_ROW_SAME_IDENTITY: 2 }, 0])
  expect(samples).toMatchObject([
    { code: 'DUPLICATE_ROW_SAME_IDENTITY', line: 4, item: '1' },
    { code: 'DUPLICATE_ROW_SAME_IDENTITY', line: 5, item: '1' },
  ])
})

test('S2 §3.4: a row that only its address tells apart is noted, and is no error', async () => {
  const { rows, samples, totals, errorCount } = await one(
    `SKU,Name,Url,Price\ns1,A,https://shop.example/a,1\n,B,https://shop.example/b,1`,
  )
  expect([...rows.values()].map(({ identity }) => identity.type)).toEqual(['SKU', 'URL_HASH'])
  expect([totals, errorCount]).toEqual([{ URL_HASH_FALLBACK: 1 }, 0])
  expect(samples).toMatchObject([{ code: 'URL_HASH_FALLBACK', line: 3, item: 'https://shop.example/b' }])
})

test('RULINGS 25: a parent row of Impact is left out and counted, and is no error; GENERIC knows none', async () => {
  const text = `SKU,Parent SKU,Name,Url,Price\np,p,Parent,https://shop.example/p,1\nv,p,Variant,https://shop.example/v,1`
  const { rows, counters, totals, errorCount } = await one(text)
  expect([...rows.values()].map(({ sku }) => sku)).toEqual(['v'])
  expect(counters).toMatchObject({ rowsRead: 2, rowsParsed: 1, parentRowsSkipped: 1 })
  expect([totals, errorCount]).toEqual([{ PARENT_ROW_SKIPPED: 1 }, 0])
  expect((await one(text, { dialect: 'GENERIC' })).rows.size).toBe(2)
})

test.each(['Y', 'yes', 'TRUE', '1'])('RULINGS 25: a row whose Is Parent says %s is a parent', async (isParent) => {
  const text = (mark: string) => `SKU,Is Parent,Name,Url,Price\ns,${mark},A,https://shop.example/a,1`
  expect((await one(text(isParent))).rows.size).toBe(0)
  expect((await one(text('N'))).rows.size).toBe(1)
})

test('a million wrong rows are counted, and a hundred of each code kept', async () => {
  const { totals, samples, errorCount } = await one(
    file(...Array.from({ length: 150 }, (_, n) => row(`${n}`, { price: 'POA' }))),
  )
  expect([totals.PRICE_ON_REQUEST, errorCount, samples.length]).toEqual([150, 150, 100])
})

test('S2 §7.3.1: a feed’s own limit of rows holds, and what stands before it is taken in', async () => {
  const text = file(row('1'), row('2'), row('3'))
  expect(await read(text, { maxRowCount: 3 })).toMatchObject({ chunks: [{ counters: { rowsRead: 3 } }] })
  const { chunks, code } = await read(text, { maxRowCount: 2 })
  expect(code).toBe('ROW_COUNT_LIMIT_EXCEEDED')
  expect(chunks.map(({ counters }) => counters.rowsRead)).toEqual([2])
})

test('issue 5 §2: delimiter, quoting and columns may be set on the feed', async () => {
  const piped = 'Name|Url|Price|Money\na, b, c, d|https://shop.example/1|1|2'
  expect([...(await one(piped)).rows.values()][0]).toMatchObject({ title: 'a, b, c, d', amount: '1' })
  const columnMap = { price: ['Money'] }
  expect([...(await one(piped, { delimiter: 'PIPE', columnMap })).rows.values()][0]).toMatchObject({ amount: '2' })
  expect(await read(piped, { delimiter: 'SEMICOLON' })).toMatchObject({ code: 'FEED_COLUMNS_MISSING' })
  const quoted = 'Name,Url,Price\n"A",https://shop.example/1,1'
  expect([...(await one(quoted)).rows.values()][0]).toMatchObject({ title: 'A' })
  expect([...(await one(quoted, { quoting: 'NONE' })).rows.values()][0]).toMatchObject({ title: '"A"' })
})

const amounts = (chunks: Chunk[]) => chunks.flatMap(({ rows }) => [...rows.values()].map(({ amount }) => amount))
const priced = (...prices: string[]) =>
  ['Name\tUrl\tPrice', ...prices.map((price, n) => `N\thttps://shop.example/${n}\t${price}`)].join('\n')

test('issue 5 §2: prices that may mean two things are read as the first rows of the file write theirs', async () => {
  const both = ['12.990', '1,299']
  expect(amounts((await read(priced(...both, '24.50'))).chunks)).toEqual(['12.990', '1299', '24.50'])
  expect(amounts((await read(priced(...both, '24,50'))).chunks)).toEqual(['12990', '1.299', '24.50'])
  expect(amounts((await read(priced(...both, '24.50', '24,50'))).chunks)).toEqual(['12990', '1299', '24.50', '24.50'])
  expect(amounts((await read(priced(...both))).chunks)).toEqual(['12990', '1299'])
})

test('issue 5 §2: what the feed is set to wins over the file', async () => {
  const text = priced('12.990', '24,50')
  expect(amounts((await read(text, { decimalMark: 'POINT' })).chunks)).toEqual(['12.990', '24.50'])
  expect(amounts((await read(text, { decimalMark: 'COMMA' })).chunks)).toEqual(['12990', '24.50'])
})

test('issue 5 §2: the first thousand rows are looked at, whatever the size of a chunk, and however far behind they stand', async () => {
  const rows = (behind: number) => [...Array.from({ length: behind }, () => '1.299'), '12.50']
  for (const size of [3, 1_000])
    expect(amounts((await read(priced(...rows(999)), {}, { size })).chunks)[0]).toBe('1.299')
  expect(amounts((await read(priced(...rows(1_000)), { maxRowCount: 2_000 })).chunks)[0]).toBe('1299')
})

test('issue 5 §2: prices without doubt are read the same whatever is found', async () => {
  const cents = fc.integer({ min: 1, max: 9_999_999 }).map((value) => (value / 100).toFixed(2))
  const write = fc.constantFrom<(amount: string) => string>(
    (amount) => amount,
    (amount) => amount.replace('.', ','),
    (amount) => amount.replace('.', ',').replaceAll(/\B(?=(?:\d{3})+,)/g, '.'),
    (amount) => `$${amount.replaceAll(/\B(?=(?:\d{3})+\.)/g, ',')}`,
  )
  const prices = fc.array(fc.tuple(cents, write), { minLength: 1, maxLength: 20 })
  const other = fc.constantFrom('1.299', '1,299', '0,5', '0.5', '7')
  const setting = fc.constantFrom(null, 'POINT' as const, 'COMMA' as const)
  await fc.assert(
    fc.asyncProperty(prices, other, setting, async (prices, other, decimalMark) => {
      const text = priced(...prices.map(([amount, write]) => write(amount)), other)
      const read = amounts([await one(text, { decimalMark })])
      expect(read.slice(0, -1)).toEqual(prices.map(([amount]) => amount))
    }),
  )
})

test('S2 §7.3: a chunk has so many rows of the file, whatever became of them', async () => {
  const text = file(row('1'), row('2', { price: 'POA' }), row('1'), row('3'), row('4'))
  const { chunks } = await read(text, {}, { size: 2 })
  expect(chunks.map(({ counters, rows }) => [counters.rowsRead, rows.size])).toEqual([
    [2, 1],
    [2, 2],
    [1, 1],
  ])
})

test('FAULTS S5: a chunk of long rows ends before their number is reached, for all their text is held in memory', async () => {
  const text = file(...Array.from({ length: 50 }, (_, n) => row(`${n}`, { name: 'x'.repeat(100_000) })))
  const { chunks } = await read(text, {}, { maxBytes: 1_000_000 })
  expect(chunks.length).toBeGreaterThanOrEqual(3)
  expect(chunks.flatMap(({ rows }) => [...rows.values()].map(({ line }) => line))).toEqual(
    Array.from({ length: 50 }, (_, n) => n + 2),
  )
})

test('FAULTS S5: what a row is refused with is short, however long its cell and the name of its column are', async () => {
  const text = `Name,Url,${'Price'.padEnd(500_000, ' ')},SKU\nA,https://shop.example/1,${'9'.repeat(900_000)},s`
  const { samples } = await one(text)
  expect(samples).toMatchObject([{ code: 'PRICE_INVALID', line: 2 }])
  expect(JSON.stringify(samples).length).toBeLessThan(3_000)
})

test('FAULTS S5: long rows are kept without the text that nobody reads, and few of them in a chunk', async () => {
  const wide = (line: string, text: string) => `${line},${text}\n`
  const text = 'x'.repeat(200_000)
  const lines = Array.from({ length: 150 }, (_, index) => wide(row(`${index}`, { name: 'A long enough name' }), text))
  const bytes = wide(header, 'Text') + lines.join('')
  const before = memoryUsed()
  const { chunks } = await read(bytes)
  expect(memoryUsed() - before).toBeLessThan(3e6)
  expect(chunks.map(({ rows }) => rows.size)).toEqual([89, 61])
})

test('FAULTS S5: a header of a million columns is refused, whatever number of rows is below it', async () => {
  expect(await read(`${header}${','.repeat(990_000)}\n${'a\n'.repeat(50_000)}`)).toEqual({
    chunks: [],
    code: 'FEED_HEADER_UNUSABLE',
  })
})
