import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delimiters } from '../../../../src/domain/feeds/csv/format.ts'
import { csv, readAll } from './table.ts'

const letters = fc.string({ unit: fc.constantFrom('a', 'ß', '😀', ' ', '"', ',', ';', '\t', '|', '\n', '\r\n', "'") })
/** A table whose rows have as many fields as its header, none of them blank. */
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((width) => fc.array(fc.array(letters, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }))
  .filter((rows) => rows.every((fields) => fields.some((field) => field.trim())))
const lengths = fc.array(fc.nat({ max: 9 }), { maxLength: 60 })

const linesOf = (text: string) => text.split('\n').length - 1

test('issue 5 §2: any rows that were written come back equal, with the lines they stand in, wherever pieces end', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(...delimiters),
      fc.boolean(),
      fc.constantFrom('\n', '\r\n'),
      lengths,
      async (rows, delimiter, quoted, newline, lengths) => {
        const options = { delimiter, quoted, record_delimiter: newline, quoted_match: /[\r\n]/ }
        const text = stringify(rows, options)
        const { records, faults } = await readAll(text, { ...csv, delimiter }, { lengths })
        expect(faults).toEqual([])
        expect(records.map(({ fields }) => fields)).toEqual(rows)
        const before = rows.map((_, row) => linesOf(stringify(rows.slice(0, row), options)))
        expect(records.map(({ line }) => line - 1)).toEqual(before)
      },
    ),
    { numRuns: 500 },
  )
})

test('a well-formed file reads as csv-parse reads it', async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom(...delimiters), fc.boolean(), async (rows, delimiter, quoted) => {
      const text = stringify(rows, { delimiter, quoted, quoted_match: /[\r\n]/ })
      const { records } = await readAll(text, { ...csv, delimiter })
      expect(records.map(({ fields }) => fields)).toEqual(parse(text, { delimiter }))
    }),
  )
})

test('any text, well-formed or not, gives the same rows and faults wherever its pieces end', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', ',', ',', '"', '"', '\n', '\n', '\r\n', '\u0000'), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(
      text.map((parts) => `a,b,c\n${parts.join('')}`),
      fc.constantFrom('QUOTED' as const, 'NONE' as const),
      lengths,
      fc.integer({ min: 5, max: 40 }),
      async (text, quoting, lengths, characters) => {
        const format = { ...csv, quoting }
        const whole = await readAll(text, format, { limits: { characters } })
        expect(await readAll(text, format, { lengths, limits: { characters } })).toEqual(whole)
      },
    ),
    {
      numRuns: 1_000,
      examples: [
        ['a,b,c\n"aaaa"\na', 'QUOTED', [3, 1, 9], 6],
        ['a,b,c\n"a\nb"\r\na', 'QUOTED', [12], 5],
        ['a,b,c\n"a\nb"\na', 'QUOTED', [12], 5],
      ],
    },
  )
})

test('every line that is not blank is told of once: as a row, inside one, or as a fault', async () => {
  const text = fc.array(fc.constantFrom('a', ',', '"', '\n'), { maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(text, async (parts) => {
      const { records, faults } = await readAll(`a,b,c\n${parts.join('')}`)
      const told = [...records, ...faults].map(({ line }) => line)
      expect(new Set(told).size).toBe(told.length)
      expect(records.every(({ fields }) => fields.length >= 1 && fields.length <= 3)).toBe(true)
    }),
    { numRuns: 500 },
  )
})
