import { PermanentError } from '../../queue/job-error.ts'
import { shortText } from '../row/row-errors.ts'

const longestTitle = 100
/** A page has its title near its start; to look for one in all of a hostile sample would take seconds. */
const titleWithin = 2_000

/** What a file begins with that is no table, and what it is then. */
const others: [RegExp, string][] = [
  [/^<!doctype html|^<html|^<head|^<body/i, 'an HTML page'],
  [/^<\?xml|^<(?:rss|feed|catalog|products?|items?)\b/i, 'XML'],
  [/^<[a-z!]/i, 'an HTML page or XML'],
  [/^%PDF-/, 'a PDF document'],
  [/^\{|^\[\s*[{["\]]/, 'JSON'],
]

/** Refuses a file that is no table of rows, by the start of it, and says what it is instead. */
export function refuseUnlessCsv(sample: string): void {
  const start = sample.trimStart()
  if (start === '') throw new PermanentError('The file is empty.', { code: 'FEED_EMPTY' })
  const other = others.find(([pattern]) => pattern.test(start))?.[1] ?? binary(start)
  if (!other) return
  const title = /<title[^>]*>([^<]*)/i.exec(start.slice(0, titleWithin))?.[1]?.trim()
  const named = title ? ` with the title "${shortText(title, longestTitle)}"` : ''
  throw new PermanentError(`The file is ${other}${named}, not a table of rows.`, { code: 'FEED_NOT_CSV' })
}

function binary(sample: string): string | undefined {
  if (/^PK\p{Cc}/u.test(sample)) return 'a zip archive inside the compressed file'
  if (sample.startsWith('\u001F')) return 'a file that was compressed twice'
  // UTF-16 without its mark has a NUL beside each Latin letter; no text has them so often.
  const nuls = sample.split('\u0000').length - 1
  if (nuls * 3 > sample.length) return 'UTF-16 without a byte order mark'
  return nuls * 100 > sample.length ? 'a binary file' : undefined
}
