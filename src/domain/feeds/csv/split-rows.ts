import type { FailureCode } from '../../failure-codes.ts'
import { shortText } from '../row-errors.ts'
import type { Batch, Format } from './format.ts'
import { mendLine } from './mend-line.ts'
import { contentEnd, scanRecord } from './scan-record.ts'

/**
 * Makes rows of text that comes in pieces, the header first. Where the pieces end makes no difference. A short row is filled up
 * with empty fields; one that cannot be read becomes a fault, and the next line is read as if nothing had been.
 *
 * Why not csv-parse: behind a quote that never closes it reads on to the end of its limit and then gives up the whole file, and
 * it counts CR LF inside quotes as two lines. Where a file is well-formed both give the same rows; a property test compares them.
 */
export function createSplitter(format: Format, maxCharacters: number) {
  const { delimiter, newline } = format
  let rest = ''
  let line = 1
  let width: number | undefined
  let isSkipping = false // the remainder of a row that was too large
  let batch: Batch = { records: [], faults: [] }

  const reject = (code: FailureCode, message: string, start: string) =>
    void batch.faults.push({ line, code, message, raw: shortText(start) })

  const add = (fields: string[], raw: string) => {
    if (isBlank(fields)) return
    width ??= fields.length
    if (fields.length > width)
      return reject('ROW_TOO_LONG', `The row has ${fields.length} fields, the header only ${width} columns.`, raw)
    if (raw.includes('\u0000')) return reject('ROW_HAS_NUL', 'The row holds a NUL character.', raw)
    while (fields.length < width) fields.push('')
    batch.records.push({ line, fields })
  }

  const split = (text: string, isWhole: boolean): number => {
    let at = 0
    let quote = -1
    /** Reads a single line as far as its quotes allow. */
    const addLine = (end: number) => {
      const raw = text.slice(at, contentEnd(text, at, end))
      const fields = mendLine(raw, delimiter, width)
      if (fields) add(fields, raw)
      else reject('ROW_QUOTES_BROKEN', 'A quote opens in this row that does not close as it should.', raw)
    }
    const next = (to: number, lines = 1) => {
      at = to
      line += lines
    }
    while (at < text.length) {
      const found = text.indexOf(newline, at)
      const end = found < 0 ? text.length : found
      if (isSkipping) {
        if (found < 0) return text.length
        isSkipping = false
        next(end + 1)
        continue
      }
      if (end - at > maxCharacters) {
        reject(
          'ROW_TOO_LARGE',
          `The row has more than ${maxCharacters} characters.`,
          text.slice(at, at + maxCharacters),
        )
        isSkipping = true
        continue
      }
      if (found < 0 && !isWhole) return at
      if (quote < at) quote = positionOf(text, '"', at)
      if (quote > end || format.quoting === 'NONE') {
        const raw = text.slice(at, contentEnd(text, at, end))
        add(raw.split(delimiter), raw)
        next(end + 1)
        continue
      }
      const scan = scanRecord(text, at, format, isWhole)
      if (scan.kind === 'incomplete' && text.length - at <= maxCharacters) return at
      if (scan.kind !== 'record' || scan.end - at > maxCharacters) {
        addLine(end)
        next(end + 1)
        continue
      }
      const raw = text.slice(at, scan.end)
      const isOneLine = scan.next === end + 1
      // A stray quote swallows rows up to the next one, which shows in the number of fields.
      const isSwallowed = !isOneLine && width !== undefined && scan.fields.length !== width
      if (isSwallowed && mendLine(text.slice(at, contentEnd(text, at, end)), delimiter, width)) {
        addLine(end)
        next(end + 1)
        continue
      }
      add(scan.fields, raw)
      next(scan.next, isOneLine ? 1 : 1 + count(raw, newline))
    }
    return at
  }

  const take = (): Batch => {
    const taken = batch
    batch = { records: [], faults: [] }
    return taken
  }

  return {
    /** The rows that are complete by now. */
    push(piece: string): Batch {
      const text = rest + piece
      rest = text.slice(split(text, false))
      return take()
    },
    /** The last row, where no line end follows it. */
    end(): Batch {
      split(rest, true)
      rest = ''
      return take()
    },
  }
}

const isBlank = (fields: string[]): boolean => fields[0]?.trim() === '' && fields.every((field) => field.trim() === '')

function positionOf(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from)
  return at < 0 ? Infinity : at
}

function count(text: string, what: string): number {
  let found = 0
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + 1)) found++
  return found
}
