import { isInCalendar } from '../../moment.ts'

/** When a sale price holds: from `from` on, and up to but not at `until`. Null: that side is open. */
export type SaleWindow = { from: Date | null; until: Date | null }

/** What the columns of a row say of its sale: an interval in one cell, or its start and its end. */
export type SaleColumns = {
  interval?: string | null | undefined
  start?: string | null | undefined
  end?: string | null | undefined
}

export type ReadWindow = { ok: true; window: SaleWindow } | { ok: false }

const always: SaleWindow = { from: null, until: null }
const unreadable: ReadWindow = { ok: false }

/** Reads when the sale price of a row holds. Without any column it always does; `ok: false`: they make no sense. */
export function readSaleWindow({ interval, start, end }: SaleColumns): ReadWindow {
  const cell = (interval ?? '').trim()
  if (cell === '') return between(start ?? '', end ?? '')
  const parts = cell.split('/')
  return parts.length === 2 ? between(parts[0] ?? '', parts[1] ?? '') : unreadable
}

/** Whether the sale is on at `now`. */
export const isOnSale = ({ from, until }: SaleWindow, now: Date): boolean =>
  (from === null || from <= now) && (until === null || now < until)

function between(start: string, end: string): ReadWindow {
  const [first, last] = [start.trim(), end.trim()].map((part) => (part === '..' ? '' : part))
  if (!first && !last) return { ok: true, window: always }
  const from = first ? readMoment(first) : null
  const to = last ? readMoment(last) : null
  const length = last ? readDuration(last) : null
  if ((first && from === null) || (last && to === null && length === null)) return unreadable
  const until = to?.end ?? (from !== null && length !== null ? new Date(from.start.getTime() + length) : null)
  if ((last && until === null) || (until !== null && !isInCalendar(until))) return unreadable
  if (from !== null && until !== null && from.start >= until) return unreadable
  return { ok: true, window: { from: from?.start ?? null, until } }
}

const form =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:(?:T|\s)(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|UTC|[+-]\d{2}(?::?\d{2})?)?)?$/i

/**
 * A date or a moment in the forms of ISO 8601, the offset with or without a colon; without one it is UTC. `end` is when it is
 * over: a date holds to the end of its day, a moment is over at once.
 */
function readMoment(text: string): { start: Date; end: Date } | null {
  const [all, year, month, day, hour, minute = '00', second = '00', zone = 'Z'] = form.exec(text) ?? []
  if (all === undefined) return null
  const date = `${year}-${month}-${day}`
  const start = new Date(`${date}T${hour ?? '00'}:${minute}:${second}${offset(zone)}`)
  const isReal = !Number.isNaN(start.getTime()) && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date)
  if (!isReal || !isInCalendar(start)) return null
  return { start, end: hour === undefined ? new Date(start.getTime() + dayMs) : start }
}

const offset = (zone: string) =>
  /^(?:z|utc)$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`

const dayMs = 86_400_000

/** A length as ISO 8601 writes it, of weeks, days, hours and minutes, in milliseconds. */
function readDuration(text: string): number | null {
  const [all, weeks, days, hours, minutes] =
    /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,4})M)?)?$/i.exec(text) ?? []
  if (all === undefined) return null
  const total =
    (Number(weeks ?? 0) * 7 + Number(days ?? 0)) * dayMs + (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
  return total > 0 ? total : null
}
