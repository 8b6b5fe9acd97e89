import { expect, test } from 'vitest'
import { PermanentError } from '../../../../src/domain/queue/job-error.ts'
import { readRecords } from '../../../../src/domain/feeds/csv/read-records.ts'
import { csv, readAll, row, tsv } from './table.ts'

test.each([
  ['LF', 'a,b\n1,2\n3,4\n', [row(1, 'a', 'b'), row(2, '1', '2'), row(3, '3', '4')]],
  ['CR LF', 'a,b\r\n1,2\r\n3,4\r\n', [row(1, 'a', 'b'), row(2, '1', '2'), row(3, '3', '4')]],
  ['no end behind the last row', 'a,b\n1,2', [row(1, 'a', 'b'), row(2, '1', '2')]],
  ['both in one file', 'a,b\r\n1,2\n3,4', [row(1, 'a', 'b'), row(2, '1', '2'), row(3, '3', '4')]],
])('issue 5 §2: rows end with %s', async (_, text, rows) => {
  expect(await readAll(text)).toEqual({ records: rows, faults: [] })
})

test('issue 5 §2: rows of an old Mac end with CR', async () => {
  const { records } = await readAll('a,b\r1,"x\ry"\r3,4\r', { ...csv, newline: '\r' })
  expect(records).toEqual([row(1, 'a', 'b'), row(2, '1', 'x\ry'), row(4, '3', '4')])
})

test.each([
  ['a quoted line feed', 'a,b\n1,"x\ny"\n3,4', [row(2, '1', 'x\ny'), row(4, '3', '4')]],
  ['a quoted CR LF', 'a,b\r\n1,"x\r\ny\r\n"\r\n3,4', [row(2, '1', 'x\r\ny\r\n'), row(5, '3', '4')]],
  ['blank rows', 'a,b\n\n , \n,\n3,4', [row(5, '3', '4')]],
  ['a lone CR, which ends no line here', 'a,b\n1,x\ry\n3,4', [row(2, '1', 'x\ry'), row(3, '3', '4')]],
])('issue 5 §2: a row has the number of its line in the file, also behind %s', async (_, text, rows) => {
  expect((await readAll(text)).records.slice(1)).toEqual(rows)
})

test.each([
  ['a quoted delimiter', '"x, y",2,3', ['x, y', '2', '3']],
  ['doubled quotes', '"27"" TV",2,3', ['27" TV', '2', '3']],
  ['an empty quoted field', '"",2,""', ['', '2', '']],
  ['a quote in the middle of an unquoted field', '27" TV,2,3', ['27" TV', '2', '3']],
  ['HTML with commas and quotes', '"<p style=""a"">x, y</p>",2,3', ['<p style="a">x, y</p>', '2', '3']],
  ['HTML whose quotes nobody doubled', '"<a href="x">y, z</a>",2,3', ['<a href="x">y, z</a>', '2', '3']],
  ['a first word in quotes', '"Best" knife,2,3', ['"Best" knife', '2', '3']],
  ['a first word in quotes before a quoted field', '"Best" knife,2,"3"', ['"Best" knife', '2', '3']],
  ['a word in quotes inside a quoted field', '"the "best" knife",2,3', ['the "best" knife', '2', '3']],
  ['a quote that opens by mistake', '1,"Rare find,3', ['1', '"Rare find', '3']],
])('FORMATS 1.3: %s is read as it was meant', async (_, line, fields) => {
  expect(await readAll(`a,b,c\n${line}\n4,5,6\n`)).toEqual({
    records: [row(1, 'a', 'b', 'c'), { line: 2, fields }, row(3, '4', '5', '6')],
    faults: [],
  })
})

test('FORMATS 1.3: where nothing is quoted, a quote is a letter wherever it stands', async () => {
  const { records } = await readAll('a\tb\n"Best" knife\t27"\n"x\ty"\n', tsv)
  expect(records.slice(1)).toEqual([row(2, '"Best" knife', '27"'), row(3, '"x', 'y"')])
})

test('FORMATS 1.3: a short row ends early, a row longer than the header is rejected with its line', async () => {
  expect(await readAll('a,b,c\n1\n1,2,3,4\n5,6,7\n')).toEqual({
    records: [row(1, 'a', 'b', 'c'), row(2, '1'), row(4, '5', '6', '7')],
    faults: [
      {
        line: 3,
        code: 'ROW_TOO_LONG',
        message: 'The row has 4 fields, the header only 3 columns.',
        raw: '1,2,3,4',
      },
    ],
  })
})

test.each([
  ['that never closes', 'a,b,c\n1,"x, y,3\n4,5,6\n7,8,9'],
  ['that closes in the middle of a later row', 'a,b,c\n1,"x, y,3\n4,"5",6\n7,8,9'],
  ['that closes at the end of a later row', 'a,b,c\n1,"x, y,3\n4,5,6"\n7,8,9'],
])('FAULTS S5: a quote %s costs its own line alone', async (_, text) => {
  const { records, faults } = await readAll(text, csv, { limits: { characters: 15 } })
  expect(faults).toEqual([expect.objectContaining({ line: 2, code: 'ROW_QUOTES_BROKEN', raw: '1,"x, y,3' })])
  expect(records.map(({ line }) => line)).toEqual([1, 3, 4])
})

test('a stray quote that swallowed rows is seen by their number of fields', async () => {
  const { records, faults } = await readAll('a,b,c\n1,"Rare,3\n4,5"\n7,8,9\n')
  expect(faults).toEqual([])
  expect(records.slice(1)).toEqual([row(2, '1', '"Rare', '3'), row(3, '4', '5"'), row(4, '7', '8', '9')])
})

test('FAULTS S5: a row over the limit is rejected, and the next line is read', async () => {
  const long = 'x'.repeat(21)
  for (const format of [csv, tsv]) {
    const { records, faults } = await readAll(`a\n${long}\nb\n${long.slice(1)}\n"${long}"`, format, {
      limits: { characters: 20 },
    })
    expect(records).toEqual([row(1, 'a'), row(3, 'b'), row(4, long.slice(1))])
    expect(faults.map(({ line, code }) => [line, code])).toEqual([
      [2, 'ROW_TOO_LARGE'],
      [5, 'ROW_TOO_LARGE'],
    ])
  }
})

test.each([
  ['line', 'x'.repeat(65_536), 'ROW_TOO_LARGE'],
  ['quote', `${'x'.repeat(65_535)}\n`, 'ROW_QUOTES_BROKEN'],
])('FAULTS S5: 200 MB in one %s take little memory, and one row', async (_, piece, code) => {
  const pieces = async function* () {
    yield 'a,b,c\n1,2,3\n4,"x, y, z'
    for (let count = 0; count < 3_200; count++) yield piece
  }
  const before = process.memoryUsage().rss
  const faults: unknown[] = []
  let rows = 0
  for await (const batch of readRecords(pieces(), csv)) {
    faults.push(...batch.faults.map(({ line, code }) => [line, code]))
    rows += batch.records.length
  }
  expect(faults).toEqual([[3, code]])
  expect(rows).toBe(code === 'ROW_TOO_LARGE' ? 2 : 2 + 3_199)
  expect(process.memoryUsage().rss - before).toBeLessThan(100e6)
})

test('FAULTS S5: a row with a NUL is rejected with its code', async () => {
  const { records, faults } = await readAll('a,b\n1,x\u0000y\n3,4\n')
  expect(records).toEqual([row(1, 'a', 'b'), row(3, '3', '4')])
  expect(faults).toEqual([
    { line: 2, code: 'ROW_HAS_NUL', message: 'The row holds a NUL character.', raw: '1,x\uFFFDy' },
  ])
})

test('S2 §7.3.1: as many rows as are allowed are read; one more stops the file, after those before it', async () => {
  const text = 'a,b\n1,2\n3,4,5\n6,7\n'
  expect((await readAll(text, csv, { limits: { rows: 3 } })).failure).toBeUndefined()
  const { records, faults, failure } = await readAll(text, csv, { limits: { rows: 2 } })
  expect([records.length, faults.length]).toEqual([2, 1])
  expect(failure).toBeInstanceOf(PermanentError)
  expect(failure).toMatchObject({
    code: 'ROW_COUNT_LIMIT_EXCEEDED',
    message: 'The file has more than the 2 rows that are allowed.',
  })
})

test('RULINGS 23: rows before a fault of the file come first, and the row that was cut is none', async () => {
  const cut = async function* () {
    yield 'a,b\n1,2\n3,'
    throw new Error('cut')
  }
  expect(await readAll(cut())).toEqual({
    records: [row(1, 'a', 'b'), row(2, '1', '2')],
    faults: [],
    failure: new Error('cut'),
  })
})

test('FAULTS S5: a line of nothing but opening quotes is read in one pass', async () => {
  const line = '"a,'.repeat(300_000)
  const begun = performance.now()
  const { faults } = await readAll(`a,b\n${line}\n1,2\n`)
  expect(faults).toMatchObject([{ line: 2, code: 'ROW_QUOTES_BROKEN' }])
  expect(performance.now() - begun).toBeLessThan(5_000) // a look to its end at each quote took minutes
})
