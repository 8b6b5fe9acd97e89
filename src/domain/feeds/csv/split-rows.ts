import type { FailureCode } from '../../failure-codes.ts'
import { shortText } from '../row/row-errors.ts'
import type { Batch, Format } from './format.ts'
import { mendLine } from './mend-line.ts'
import { contentEnd, endOfLine, scanRecord } from './scan-record.ts'

/** More than is kept of a row with its fault. */
const longestStart = 1_000

/**
 * Makes rows of text that comes in pieces, the header first. Where the pieces end makes no difference. A short row ends early:
 * to fill it up would let a few letters under a wide header take any memory. A row that cannot be read becomes a fault, and the
 * next line is read as if nothing had been.
 *
 * Why not csv-parse: behind a quote that never closes it reads on to its limit and then gives up the whole file, and it counts
 * CR LF inside quotes as two lines. Where a file is well-formed both give the same rows; a property test compares them.
 */
export function createSplitter(format: Format, maxCharacters: number) {
  const { delimiter, newline } = format
  const rows = createRows()
  let text = ''
  let at = 0
  let more: string[] = [] // follows the text; put together once, where a line ends or is too large
  let length = 0 // of both
  let isLineOpen = false // the text ends before the line that was looked at last
  let quote = -1 // the next one, looked for once: most rows have none
  let isSkipping = false // the remainder of a row that was too large

  /** Reads on to the last row that is complete, or with `isWhole` to the end. */
  const read = (isWhole: boolean): Batch => {
    text = [text, ...more].join('')
    more = []
    quote = -1
    while (at < text.length && readRow(isWhole));
    text = at > 0 ? structuredClone(text.slice(at)) : text // a slice would keep all the text
    at = 0
    length = text.length
    return rows.take()
  }

  /** Reads the row that begins here; false where the text does not show all of it yet. */
  const readRow = (isWhole: boolean): boolean => {
    const end = endOfLine(text, at, newline)
    const isCut = end === text.length && !isWhole
    isLineOpen = isCut
    if (isSkipping) {
      isSkipping = isCut
      return isCut ? goTo(text.length, 0) : goTo(end + 1)
    }
    if (end - at > maxCharacters) {
      rejectLarge(text.slice(at, end))
      return true
    }
    if (isCut) return false
    return format.quoting === 'NONE' || !hasQuoteBefore(end) ? readPlainLine(end) : readQuoted(end, isWhole)
  }

  /** Drops a row whose end may not have come yet. */
  const rejectLarge = (start: string): void => {
    rows.reject('ROW_TOO_LARGE', `The row has more than ${maxCharacters} characters.`, start.slice(0, maxCharacters))
    isSkipping = true
  }

  /** The line that has no end yet is too large: what there is of it was never put together. */
  const dropLine = (): void => {
    rejectLarge([text, ...more].map((each) => each.slice(0, longestStart)).join(''))
    text = ''
    more = []
    length = 0
  }

  const goTo = (position: number, lines = 1): true => {
    at = position
    rows.skipLines(lines)
    return true
  }

  const hasQuoteBefore = (end: number): boolean => {
    if (quote < at) quote = text.indexOf('"', at)
    if (quote < 0) quote = Infinity
    return quote < end
  }

  const lineTo = (end: number) => text.slice(at, contentEnd(text, at, end))

  const readPlainLine = (end: number) => {
    const line = lineTo(end)
    rows.add(line.split(delimiter), line)
    return goTo(end + 1)
  }

  /** A row with quotes may go on behind the end of its first line. */
  const readQuoted = (end: number, isWhole: boolean): boolean => {
    const scan = scanRecord(text, at, format, isWhole)
    // One more, for a carriage return behind a row of just that length.
    if (scan.kind === 'incomplete' && text.length - at <= maxCharacters + 1) return false
    if (scan.kind !== 'record' || scan.end - at > maxCharacters) return readBrokenLine(end)
    const isOneLine = scan.next === end + 1
    // A stray quote swallows rows up to the next one, which shows in the number of fields.
    if (!isOneLine && !rows.fits(scan.fields) && mendLine(lineTo(end), delimiter, rows.width()))
      return readBrokenLine(end)
    const record = text.slice(at, scan.end)
    rows.add(scan.fields, record)
    return goTo(scan.next, isOneLine ? 1 : record.split(newline).length)
  }

  const readBrokenLine = (end: number): boolean => {
    const line = lineTo(end)
    const fields = mendLine(line, delimiter, rows.width())
    if (fields) rows.add(fields, line)
    else rows.reject('ROW_QUOTES_BROKEN', 'A quote opens in this row that does not close as it should.', line)
    return goTo(end + 1)
  }

  return {
    /** The rows that are complete by now. */
    push(piece: string): Batch {
      const isMore = isLineOpen && !piece.includes(newline)
      if (isMore && isSkipping) return rows.take()
      more.push(piece)
      length += piece.length
      if (isMore) {
        if (length > maxCharacters) dropLine()
        return rows.take()
      }
      return read(false)
    },
    /** The last row, where no line end follows it. */
    end: (): Batch => read(true),
  }
}

/** The rows found so far, and the line of the file where the next one begins. */
function createRows() {
  let line = 1
  let width: number | undefined
  let batch: Batch = { records: [], faults: [] }
  const reject = (code: FailureCode, message: string, raw: string): void => {
    batch.faults.push({ line, code, message, raw: shortText(raw) })
  }
  return {
    reject,
    /** How many columns the header has; unknown before it. */
    width: () => width,
    fits: (fields: string[]) => fields.length === (width ?? fields.length),
    skipLines: (lines: number) => void (line += lines),
    add(fields: string[], raw: string): void {
      if (isBlank(fields)) return
      width ??= fields.length
      if (fields.length > width)
        reject('ROW_TOO_LONG', `The row has ${fields.length} fields, the header only ${width} columns.`, raw)
      else if (raw.includes('\u0000')) reject('ROW_HAS_NUL', 'The row holds a NUL character.', raw)
      else batch.records.push({ line, fields })
    },
    take(): Batch {
      const taken = batch
      batch = { records: [], faults: [] }
      return taken
    },
  }
}

const isBlank = (fields: string[]): boolean => fields[0]?.trim() === '' && fields.every((field) => field.trim() === '')
