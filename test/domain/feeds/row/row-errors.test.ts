import { expect, test } from 'vitest'
import { shortRow, shortText } from '../../../../src/domain/feeds/row/row-errors.ts'
import { addSecrets, withLogFields } from '../../../../src/log.ts'

test.each([
  ['a\u0000b', 'a\uFFFDb'],
  ['half \uD83D', 'half \uFFFD'],
  ['whole 😀', 'whole 😀'],
  ['x'.repeat(300), 'x'.repeat(300)],
  ['x'.repeat(301), `${'x'.repeat(299)}…`],
  ['x'.repeat(5_000), `${'x'.repeat(299)}…`],
])('a text of a file is kept clean and short: %#', (text, kept) => {
  expect(shortText(text)).toBe(kept)
})

test('S2 §10: no secret of the run is kept with a row', () => {
  withLogFields({}, () => {
    addSecrets('s3cret-password')
    expect(shortText('ftp://u:p4ssw0rd@host, s3cret-password')).not.toMatch(/s3cret|p4ssw0rd/)
    expect(JSON.stringify(shortRow({ title: 's3cret-password' }))).not.toContain('s3cret')
  })
})

test('a row is kept with the fields that say something, each cut short', () => {
  expect(shortRow({ title: 'x'.repeat(400), link: ' ', price: undefined, sku: '1' })).toEqual({
    title: `${'x'.repeat(199)}…`,
    sku: '1',
  })
  expect(shortRow(['1', '', 'A', 'B'], [' Sku ', 'Text1', 'Name'])).toEqual({ Sku: '1', Name: 'A', 'column 4': 'B' })
})

test('a row of a thousand long fields is kept in less than 15,000 characters', () => {
  const row = shortRow(Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)))
  expect(JSON.stringify(row).length).toBeLessThan(15_000)
})
