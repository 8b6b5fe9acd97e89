import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delimiters } from '../../../../src/domain/feeds/csv/format.ts'
import { sniff } from '../../../../src/domain/feeds/csv/sniff.ts'

const ir = 'Unique Merchant SKU\tProduct Name\tProduct URL\tCurrent Price\tProduct Description\n'
const html = '"<p style=""color: red"">Soft, warm; and | light</p>"'

test.each([
  ['commas', 'sku,title,price\n1,A,9.99\n2,B,8.99\n', ',', 'QUOTED'],
  ['tabs', 'sku\ttitle\tprice\n1\tA\t9.99\n2\tB\t8.99\n', '\t', 'NONE'],
  ['pipes', 'sku|title|price\n1|A|9.99\n2|B|8.99\n', '|', 'NONE'],
  ['semicolons and decimal commas', 'sku;title;price\n1;A;9,99\n2;B;8,99\n', ';', 'QUOTED'],
  ['semicolons and a comma in the header', 'sku;title;price, EUR\n1;A;9,99\n2;B;8,99\n', ';', 'QUOTED'],
  ['CSV that is separated by tabs', 'Sku\tName\tLabels\n1\tA, B\tx,y\n2\tC, D\tz,w\n', '\t', 'NONE'],
  ['a quote in the middle of a field', `${ir}1\tTV 27" wide\thttps://a.example/?a=1,2\t9.99\tx, y\n`, '\t', 'NONE'],
  ['a field that begins with a quote', `${ir}1\t"Best" knife\thttps://a.example/\t9.99\tx\n`, '\t', 'NONE'],
  ['a quote that opens and never closes', `${ir}1\t"Rare find\thttps://a.example/\t9.99\tx\n`.repeat(3), '\t', 'NONE'],
  ['quoted tabs', `${ir}1\t"A\tB"\thttps://a.example/\t9.99\tx\n`, '\t', 'QUOTED'],
  ['HTML in quotes, with every delimiter', `sku,title,text\n1,A,${html}\n2,B,${html}\n`, ',', 'QUOTED'],
  [
    'HTML without quotes, with commas',
    `${ir}1\tA\thttps://a.example/\t9.99\t<p class="a">x, y, z, w, v</p>\n`,
    '\t',
    'NONE',
  ],
  ['quoted rows over several lines', 'sku,title\n1,"A\nB, C"\n2,"D\r\nE"\n', ',', 'QUOTED'],
  ['everything quoted', '"sku"|"title"\n"1"|"A|B"\n', '|', 'QUOTED'],
  ['short rows', 'sku,title,price,a,b\n1,A\n2,B,9.99\n3,C,1.99,x,y\n', ',', 'QUOTED'],
  ['rows that leave out what is empty', `a\tb\tc\td\tprice, with VAT\n${'1\tA, B\n'.repeat(20)}`, '\t', 'NONE'],
  ['a header alone', 'sku;title;price\n', ';', 'QUOTED'],
  ['one column', 'sku\n1\n2\n', ',', 'QUOTED'],
])('issue 5 §2: %s', (_, text, delimiter, quoting) => {
  expect(sniff(text, { isWhole: true })).toEqual({ delimiter, quoting, newline: '\n' })
  expect(sniff(text.replaceAll(/\r?\n/g, '\r\n'), { isWhole: true })).toMatchObject({ delimiter, quoting })
})

test('issue 5 §2: a row that the sample cuts is not judged', () => {
  const text = `${ir}${'1\tA\thttps://a.example/\t9.99\tx\n'.repeat(9)}2\t"Bes`
  expect(sniff(text)).toEqual({ delimiter: '\t', quoting: 'NONE', newline: '\n' })
})

test('issue 5 §2: what is set on the feed is not asked of the file', () => {
  const text = 'sku,title;x\n1,A;y\n'
  expect(sniff(text, { isWhole: true, fixed: { delimiter: ';' } })).toMatchObject({ delimiter: ';', quoting: 'QUOTED' })
  expect(sniff(text, { isWhole: true, fixed: { quoting: 'NONE' } })).toMatchObject({ delimiter: ',', quoting: 'NONE' })
})

test.each([
  ['a,b\r1,2\r3,4\r', '\r'],
  ['a,b\r1,"x\ny"\r3,4\r', '\r'],
  ['a,b\n1,x\ry\n3,4\n', '\n'],
  ['a,b\r\n1,2\r\n', '\n'],
])('lines of %j end with %j', (text, newline) => {
  expect(sniff(text, { isWhole: true }).newline).toBe(newline)
})

test('the delimiter of any written table is found, if its header has two plain names', () => {
  const value = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', ' '), maxLength: 12 })
  const rows = fc.array(fc.tuple(value, value, value), { minLength: 3, maxLength: 12 })
  fc.assert(
    fc.property(rows, fc.constantFrom(...delimiters), (rows, delimiter) => {
      const text = stringify([['sku', 'title', 'price'], ...rows], { delimiter, quoted: true })
      expect(sniff(text, { isWhole: true })).toMatchObject({ delimiter, quoting: 'QUOTED' })
    }),
  )
})
