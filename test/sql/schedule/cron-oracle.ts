import fc from 'fast-check'

// The slow and plain way to say when a cron expression happens, to compare the quick way with.

/** A moment at which clocks change; offsets are those from UTC, in milliseconds. */
export type Change = { zone: string; at: number; before: number; after: number }

const minuteMs = 60_000
const least = [0, 0, 1, 1, 0]
const most = [59, 23, 31, 12, 7]

/** The values that a field of numbers fits. */
function valuesOf(text: string, field: number): Set<number> {
  const values = new Set<number>()
  for (const item of text.split(',')) {
    const [range = '', step] = item.split('/')
    const [from = '', to] = range === '*' ? [String(least[field]), String(most[field])] : range.split('-')
    const end = Number(to ?? (step === undefined ? from : most[field]))
    for (let value = Number(from); value <= end; value += Number(step ?? 1)) values.add(field === 4 ? value % 7 : value)
  }
  return values
}

/**
 * Every minute in which an expression happens, of those after one moment and before another, found by looking at each.
 * The zone is given by its changes, in order; one that never changes has one with the same offset before and after.
 */
export function* occurrences(expression: string, after: number, until: number, changes: Change[]): Generator<number> {
  const fields = expression.split(' ')
  const [minutes, hours, days, months, weekdays] = fields.map(valuesOf)
  const fits = (wall: number) => {
    if (!minutes?.has((wall / minuteMs) % 60)) return false // most minutes end here, before a Date is made
    const date = new Date(wall)
    if (!hours?.has(date.getUTCHours()) || !months?.has(date.getUTCMonth() + 1)) return false
    const dayFits = days?.has(date.getUTCDate()) ?? false
    const weekdayFits = weekdays?.has(date.getUTCDay()) ?? false
    return fields[2] !== '*' && fields[4] !== '*' ? dayFits || weekdayFits : dayFits && weekdayFits
  }
  const isEveryHour = hours?.size === 24
  const repeats = isEveryHour || fields[0]?.startsWith('*')
  for (let at = (Math.floor(after / minuteMs) + 1) * minuteMs; at < until; at += minuteMs) {
    const change = changes.findLast((one) => one.at <= at)
    const offset = change?.after ?? changes[0]?.before ?? 0
    const moved = change ? change.after - change.before : 0
    const isSecondPass = change && at < change.at - moved
    const isBehindGap = change && at < change.at + moved
    if (fits(at + offset) && (repeats || !isSecondPass)) yield at
    else if (isBehindGap && !isEveryHour && fits(at + change.before)) yield at
  }
}

/** The first of them, of the three days around a change; undefined if there is none. */
export const walk = (expression: string, after: number, change: Change): number | undefined =>
  occurrences(expression, after, change.at + 3 * 86_400_000, [change]).next().value ?? undefined

function field(index: number): fc.Arbitrary<string> {
  const value = fc.integer({ min: least[index] ?? 0, max: most[index] ?? 0 })
  const step = fc.integer({ min: 1, max: (most[index] ?? 0) - (least[index] ?? 0) + 1 })
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const stepped = fc.tuple(fc.oneof(value, range, fc.constant('*')), step).map(([from, by]) => `${from}/${by}`)
  // cron-parser refuses a list that names a value twice, which lists of ranges mostly do.
  const list = fc.uniqueArray(value, {
    minLength: 2,
    maxLength: 4,
    selector: (item) => (index === 4 ? item % 7 : item),
  })
  return fc.oneof(value.map(String), range, stepped, list.map(String))
}

/** `*` in so many of ten fields, and anything else in the rest. */
const mostly = (tenths: number, index: number) =>
  fc.oneof({ weight: tenths, arbitrary: fc.constant('*') }, { weight: 10 - tenths, arbitrary: field(index) })
const nightHours = fc.constantFrom('0', '1', '2', '3', '23', '2,3', '1-3', '0-5', '*/2')

/** Expressions of every form. */
export const expressions = fc
  .tuple(mostly(2, 0), mostly(3, 1), mostly(5, 2), mostly(5, 3), mostly(5, 4))
  .map((fields) => fields.join(' '))

/** Expressions that often fit in the hours in which clocks change. */
export const nightly = fc
  .tuple(mostly(2, 0), fc.oneof(nightHours, mostly(3, 1)), mostly(9, 2), mostly(9, 3), mostly(8, 4))
  .map((fields) => fields.join(' '))
