import { decimalMarkOf } from '../../price.ts'
import type { DecimalMark } from '../../price/amount.ts'
import type { RawRow } from '../dialects/field.ts'
import { shortText } from './row-errors.ts'

export type DecimalMarkName = 'POINT' | 'COMMA'

const marks = { POINT: '.', COMMA: ',' } as const satisfies Record<DecimalMarkName, DecimalMark>

/** What decides how prices are read that may mean two things, and who says so; null: each is read by itself. */
export type FoundMark = {
  decimalMark: DecimalMarkName | null
  from: 'SETTING' | 'FILE' | null
  /** The letter that the name stands for. */
  mark: DecimalMark | undefined
  /** What an operator should know of it. */
  warning?: { code: 'DECIMAL_MARK_UNCLEAR'; message: string }
}

type Feed = { decimalMark: DecimalMarkName | null; defaultCurrency: string }

/** Finds the decimal mark of a file by the prices of its first rows that leave no doubt. What the feed is set to wins. */
export function findDecimalMark(rows: Iterable<RawRow>, { decimalMark, defaultCurrency }: Feed): FoundMark {
  const { POINT, COMMA, EITHER } = examplesOf(rows, defaultCurrency)
  if (decimalMark !== null) {
    const [own, other] = decimalMark === 'POINT' ? [POINT, COMMA] : [COMMA, POINT]
    const isDenied = own === undefined && other !== undefined
    return known(
      decimalMark,
      'SETTING',
      isDenied && `The feed is set to ${decimalMark}, but the prices are like "${other}".`,
    )
  }
  if (POINT !== undefined && COMMA !== undefined)
    return unknown(`Some prices are like "${POINT}", others like "${COMMA}": each was read by itself.`)
  if (POINT !== undefined) return known('POINT', 'FILE')
  if (COMMA !== undefined) return known('COMMA', 'FILE')
  return unknown(EITHER !== undefined && `No price tells whether "${EITHER}" means thousands: each was read by itself.`)
}

type Examples = Partial<Record<DecimalMarkName | 'EITHER', string>>

/** The first price of each kind. */
function examplesOf(rows: Iterable<RawRow>, currency: string): Examples {
  const examples: Examples = {}
  for (const { price = '', salePrice = '', originalPrice = '' } of rows)
    for (const text of [price, salePrice, originalPrice]) {
      const mark = decimalMarkOf(text, { currency })
      if (mark !== null) examples[mark === '.' ? 'POINT' : mark === ',' ? 'COMMA' : mark] ??= shortText(text, 40)
    }
  return examples
}

const warned = (message: string | false | undefined) =>
  message ? { warning: { code: 'DECIMAL_MARK_UNCLEAR' as const, message } } : {}

const unknown = (message: string | false): FoundMark => ({
  decimalMark: null,
  from: null,
  mark: undefined,
  ...warned(message),
})

const known = (name: DecimalMarkName, from: 'SETTING' | 'FILE', message?: string | false): FoundMark => ({
  decimalMark: name,
  from,
  mark: marks[name],
  ...warned(message),
})
