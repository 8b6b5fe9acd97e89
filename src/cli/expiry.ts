import { z } from 'zod'
import { UsageError } from './error.ts'

const hourMs = 3_600_000
const unitMs: Record<string, number> = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs }
const minute = z.iso.datetime({ offset: true, precision: -1 })
const moment = z.union([z.iso.date(), minute, z.iso.datetime({ offset: true })])

/** When a key ends: a span from now on (`12h`, `30d`, `4w`), a day or a moment. A day ends a key when it begins, in UTC. */
export function parseExpiry(text: string, now: Date): Date {
  const [, count = '', unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? []
  if (count) return new Date(now.getTime() + Number(count) * (unitMs[unit] ?? 0))
  if (moment.safeParse(text).success) return new Date(text)
  throw new UsageError(
    `--expires "${text}" is neither a span (12h, 30d, 4w) nor a moment (2027-01-31, 2027-01-31T12:00Z).`,
  )
}
