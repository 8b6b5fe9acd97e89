import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxRows, readCsv } from '../../../src/domain/lists/csv.ts'

const recordsOf = async (csv: string) => {
  const table = await readCsv(csv)
  if ('field' in table) throw new Error(`${table.field} ${table.message}`)
  return table
}

test('reads a header and rows, each with the line it begins on', async () => {
  expect(await recordsOf('Name, Slug \nA,a\nB,b\n')).toEqual({
    header: ['name', 'slug'],
    records: [
      { line: 2, cells: ['A', 'a'] },
      { line: 3, cells: ['B', 'b'] },
    ],
  })
})

test.each([
  ['LF', '\n'],
  ['CR LF', '\r\n'],
  ['CR', '\r'],
])('finds the right lines with %s, also behind quoted line ends and empty lines', async (_name, end) => {
  const csv = ['name,slug', '"one', '', 'two",a', '', '"x ""y"" z",b', ' , ', 'last,c'].join(end)
  expect((await recordsOf(csv)).records).toEqual([
    { line: 2, cells: ['one\n\ntwo', 'a'] },
    { line: 6, cells: ['x "y" z', 'b'] },
    { line: 8, cells: ['last', 'c'] },
  ])
})

test('reads files that mix line ends', async () => {
  expect((await recordsOf('name\n"a\r\nb"\r\nc\rd')).records.map(({ line }) => line)).toEqual([2, 4, 5])
})

test('passes over a byte order mark', async () => {
  expect((await recordsOf('\uFEFFname\nA')).header).toEqual(['name'])
  expect((await recordsOf('\uFEFF"name"\nA')).header).toEqual(['name'])
})

test.each([
  ['nothing at all', ''],
  ['a byte order mark alone', '\uFEFF'],
  ['line ends alone', '\r\n\n'],
])('says of %s that it is empty', async (_what, csv) => {
  expect(await readCsv(csv)).toEqual({ field: 'csv', message: 'is empty.' })
})

test('says where a quote was opened and never closed', async () => {
  expect(await readCsv('name\nA\n"B\nC')).toMatchObject({
    field: expect.stringMatching(/^csv\.line \d$/) as string,
    message: expect.stringContaining('Quote Not Closed') as string,
  })
})

test('stops at a row without an end', async () => {
  expect(await readCsv(`name\n"${'x'.repeat(200_000)}`)).toMatchObject({ field: 'csv.line 2', line: 2 })
})

test('takes 50,000 rows and not one more', async () => {
  const rows = (count: number) => `name\n${'A\n'.repeat(count)}`
  expect((await recordsOf(rows(maxRows))).records).toHaveLength(50_000)
  expect(await readCsv(rows(maxRows + 1))).toEqual({ field: 'csv', message: 'has more than 50000 rows. Split it.' })
})

test('leaves formulas as they are', async () => {
  expect((await recordsOf('name\n=1+1\n@cmd\n-2\n+3')).records.map(({ cells }) => cells[0])).toEqual([
    '=1+1',
    '@cmd',
    '-2',
    '+3',
  ])
})

test('whatever stands in quotes comes back, and lines are counted right', async () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', 'ä', ',', '"', '\n', ';', ' ', '😀') })
    .filter((text) => text.trim() !== '')
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 8 }), async (cells) => {
      const csv = ['name', ...cells.map((text) => `"${text.replaceAll('"', '""')}"`)].join('\n')
      const { records } = await recordsOf(csv)
      expect(records.map((record) => record.cells)).toEqual(cells.map((text) => [text]))
      for (const {
        line,
        cells: [text],
      } of records) {
        expect(
          csv
            .split('\n')
            .slice(line - 1)
            .join('\n')
            .startsWith(`"${text!.replaceAll('"', '""')}"`),
        ).toBe(true)
      }
    }),
  )
})

test('letters of several bytes are whole wherever the text is cut into slices', async () => {
  const names = Array.from({ length: 9_000 }, (_, index) => `${'x'.repeat(index % 7)}ü書😀`)
  const { records } = await recordsOf(`name\n${names.join('\n')}`)
  expect(records.map(({ cells }) => cells[0])).toEqual(names)
})
