import type { Format } from './format.ts'

/** A record that ends before `end`, the next one begins at `next`. `broken`: its quotes are none of RFC 4180. */
export type Scan = { kind: 'record'; fields: string[]; end: number; next: number } | { kind: 'broken' | 'incomplete' }

const broken: Scan = { kind: 'broken' }
const incomplete: Scan = { kind: 'incomplete' }

/**
 * Reads the record that begins at `start`. A quote opens only at the start of a field, and whatever follows the closing one must
 * be a delimiter or the end of the line. Without `isWhole` the text goes on behind its end, and what depends on that is incomplete.
 */
export function scanRecord(text: string, start: number, { delimiter, newline }: Format, isWhole: boolean): Scan {
  const fields: string[] = []
  let at = start
  let end = endOfLine(text, at, newline)
  for (;;) {
    if (text[at] === '"') {
      const close = closingQuote(text, at)
      if (close < 0) return isWhole ? broken : incomplete
      const value = text.slice(at + 1, close)
      fields.push(value.includes('"') ? value.replaceAll('""', '"') : value)
      at = close + 1
      const isCut = at === text.length || (text[at] === '\r' && newline === '\n' && at + 1 === text.length)
      if (isCut && !isWhole) return incomplete // another quote or a line feed may follow
      if (text[at] !== delimiter) {
        if (text[at] === '\r' && newline === '\n') at++
        const isEnd = at >= text.length || text[at] === newline
        return isEnd ? { kind: 'record', fields, end: close + 1, next: at + 1 } : broken
      }
      at++
      if (at > end) end = endOfLine(text, at, newline)
    } else {
      if (end === text.length && !isWhole) return incomplete
      const stop = text.indexOf(delimiter, at)
      if (stop < 0 || stop > end) {
        fields.push(text.slice(at, contentEnd(text, at, end)))
        return { kind: 'record', fields, end, next: end + 1 }
      }
      fields.push(text.slice(at, stop))
      at = stop + 1
    }
  }
}

export function endOfLine(text: string, from: number, newline: string): number {
  const end = text.indexOf(newline, from)
  return end < 0 ? text.length : end
}

/** Where the content of a line ends: a carriage return before the line feed is no part of it. */
export const contentEnd = (text: string, start: number, end: number): number =>
  end > start && text[end - 1] === '\r' ? end - 1 : end

/** The quote that closes the field opened at `open`; two in a row are one letter. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf('"', at)
    if (at < 0 || text[at + 1] !== '"') return at
  }
}
