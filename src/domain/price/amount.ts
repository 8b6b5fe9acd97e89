import { hasThousandths } from './currency-codes.ts'

export type DecimalMark = '.' | ','

/** What helps to tell `1.299` from `1.299`: the currency, or the mark that the file or country is known to use. */
export type AmountHints = { currency?: string | undefined; decimalMark?: DecimalMark | undefined }

const longest = 40

/**
 * The plain decimal behind a number as people write it: digits, points, commas, and apostrophes or blanks between thousands.
 * Null: its groups make no number, as in a date. Where a single mark has three digits behind it, it parts thousands,
 * unless the hints say otherwise, there are thousandths of that currency, or nothing but zero stands before it.
 */
export function readAmount(written: string, hints: AmountHints = {}): string | null {
  if (written.length > longest) return null
  const text = written.replaceAll(/[' ]/g, '')
  const at = decimalAt(text, hints)
  if (at === null) return null
  const whole = at === -1 ? text : text.slice(0, at)
  const fraction = at === -1 ? '' : text.slice(at + 1)
  if (!isGrouped(whole) || /\D/.test(fraction)) return null
  const digits = whole.replaceAll(/[.,]/g, '').replace(/^0+(?=\d)/, '') || '0'
  return fraction === '' ? digits : `${digits}.${fraction}`
}

/** Where the decimal mark stands; -1: there is none, null: no reading makes sense. */
function decimalAt(text: string, hints: AmountHints): number | null {
  const marks = [...text.matchAll(/[.,]/g)]
  const last = marks.at(-1)
  if (last === undefined) return -1
  const same = marks.filter(([mark]) => mark === last[0]).length
  const behind = text.length - last.index - 1
  if (same === 1)
    return marks.length > 1 || isDecimal(text.slice(0, last.index), behind, last[0], hints) ? last.index : -1
  if (same < marks.length) return null
  // All marks are alike: they part thousands, but for a last one that has cents behind it.
  return behind === 1 || behind === 2 ? last.index : -1
}

/**
 * The mark that stands before the decimals of a number as its own writing shows it. EITHER: only hints could tell; null: it has
 * none, or uses one mark for both.
 */
export function markOf(written: string): DecimalMark | 'EITHER' | null {
  const text = written.replaceAll(/[' ]/g, '')
  const at = decimalAt(text, { decimalMark: '.' })
  if (at !== decimalAt(text, { decimalMark: ',' })) return 'EITHER'
  const [mark] = /[.,]/.exec(text) ?? []
  if (at === null || mark === undefined) return null
  if (at === -1) return mark === '.' ? ',' : '.' // it stands between thousands
  return text.indexOf(text.charAt(at)) === at ? (text.charAt(at) as DecimalMark) : null
}

function isDecimal(head: string, behind: number, mark: string, { currency, decimalMark }: AmountHints): boolean {
  if (behind !== 3) return true
  if (/^0*$/.test(head) || head.length > 3) return true
  return decimalMark === undefined ? hasThousandths(currency) : decimalMark === mark
}

/** Whether what stands before the decimal mark is digits, or groups of them: of three, or of two and three as in India. */
function isGrouped(whole: string): boolean {
  const groups = whole.split(/[.,]/)
  if (groups.length === 1) return true
  const sizes = groups.slice(1, -1).map((group) => group.length)
  const evenly = sizes.every((size) => size === 3) || sizes.every((size) => size === 2)
  const first = groups[0]?.length ?? 0
  return (
    evenly && groups.at(-1)?.length === 3 && first <= 3 && first > 0 && new Set(whole.replaceAll(/\d/g, '')).size === 1
  )
}
