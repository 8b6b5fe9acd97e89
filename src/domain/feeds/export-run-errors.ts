import type { Db } from '../../db/prisma.ts'
import { DomainError, notFound } from '../errors.ts'

const header = ['line', 'code', 'message', 'item', 'details']
/** As many as a run keeps of a hundred codes. */
const mostErrors = 10_000

/** The sampled errors of a run as CSV, for a spreadsheet: oldest first, at most 10,000. */
export async function exportRunErrors(db: Db, runId: bigint): Promise<string> {
  if (!(await db.run.findUnique({ where: { id: runId }, select: { id: true } }))) throw notFound('run', 'runId')
  const errors = await db.runError.findMany({ where: { runId }, orderBy: { id: 'asc' }, take: mostErrors + 1 })
  if (errors.length > mostErrors)
    throw new DomainError('CONFLICT', `The run has more than ${mostErrors} sampled errors.`, {
      field: 'runId',
      hint: 'Read them with `FeedRun.errors`, a page at a time.',
    })
  const rows = errors.map(({ line, code, message, item, details }) => [
    line,
    code,
    message,
    item,
    JSON.stringify(details),
  ])
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

const signs = '[=+\\-@＝＋－＠]'
const formula = new RegExp(String.raw`^\s*(?:${signs}|\t|\r)`)
const innerFormula = new RegExp(String.raw`([;\t\r\n]\s*)(?=${signs})`, 'g')

/**
 * What a shop wrote must not run when the file is opened: what begins as a formula does, in full width too, as East Asian
 * spreadsheets take it, gets an apostrophe before it. So does what stands behind a semicolon, tab or line break: many a
 * spreadsheet begins a cell there as well.
 */
function cell(value: string | number | null): string {
  if (typeof value !== 'string') return String(value ?? '')
  const safe = value.replaceAll(innerFormula, "$1'")
  const text = formula.test(safe) ? `'${safe}` : safe
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
