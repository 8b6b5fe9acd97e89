import { delimiters, type Format } from './format.ts'
import { contentEnd, endOfLine, scanRecord } from './scan-record.ts'

type Options = {
  /** Whether the sample ends where the file does; else its last row may be cut. */
  isWhole?: boolean
  /** What the feed says of itself. */
  fixed?: Partial<Pick<Format, 'delimiter' | 'quoting'>>
}

/** How a file is written, by the start of it. The header decides: a delimiter that it does not hold is none. */
export function sniff(sample: string, { isWhole = false, fixed = {} }: Options = {}): Format {
  const newline = newlineOf(sample)
  const measured = (fixed.delimiter ? [fixed.delimiter] : delimiters).map((delimiter) => {
    const ways = (['QUOTED', 'NONE'] as const).map((quoting) =>
      measure(sample, { delimiter, quoting, newline }, isWhole),
    ) as [Measure, Measure]
    return { delimiter, ways, score: Math.max(...ways.map(score)) }
  })
  const best = measured.reduce((best, next) => (next.score > best.score ? next : best))
  return { delimiter: best.delimiter, quoting: fixed.quoting ?? quotingOf(best.delimiter, best.ways), newline }
}

/** `quoted` fields are written as RFC 4180 has it, `broken` records begin a field with a quote and go on otherwise. */
type Measure = { columns: number; records: number; fitting: number; quoted: number; broken: number }

/** Many columns that all rows agree on: a comma in a header of semicolons makes few. */
const score = (measure: Measure): number => share(measure) ** 2 * (measure.columns - 1)

const share = ({ fitting, records }: Measure): number => (records === 0 ? 0 : fitting / records)

/**
 * Files that quote and files where a quote means inches look alike. Where nothing is quoted, commas and semicolons stand in files
 * that quote when they must, tabs and pipes in files that never do.
 */
function quotingOf(delimiter: string, [quoted, none]: [Measure, Measure]): Format['quoting'] {
  if (quoted.quoted === 0 && quoted.broken === 0) return delimiter === ',' || delimiter === ';' ? 'QUOTED' : 'NONE'
  if (quoted.broken > quoted.quoted) return 'NONE'
  return share(quoted) >= share(none) || quoted.broken === 0 ? 'QUOTED' : 'NONE'
}

/** Some writers leave out what is empty at the end of a row. */
function fit(fields: number, columns: number): number {
  if (fields === columns) return 1
  return fields > 1 && fields < columns ? 0.5 : 0
}

function measure(sample: string, format: Format, isWhole: boolean): Measure {
  const result: Measure = { columns: 0, records: 0, fitting: 0, quoted: 0, broken: 0 }
  const opening = format.quoting === 'QUOTED' ? openingQuotes(format.delimiter) : undefined
  for (let at = 0; at < sample.length;) {
    const end = endOfLine(sample, at, format.newline)
    if (end === sample.length && !isWhole) break
    const line = sample.slice(at, contentEnd(sample, at, end))
    if (line.trim() === '') {
      at = end + 1
      continue
    }
    const scan = opening && line.includes('"') ? scanRecord(sample, at, format, isWhole) : undefined
    if (scan?.kind === 'incomplete') break
    if (scan?.kind === 'broken') result.broken++
    const isRecord = scan?.kind === 'record'
    const fields = isRecord ? scan.fields.length : line.split(format.delimiter).length
    if (isRecord && opening) result.quoted += sample.slice(at, scan.end).match(opening)?.length ?? 0
    result.columns ||= fields
    result.records++
    if (scan?.kind !== 'broken') result.fitting += fit(fields, result.columns)
    at = isRecord ? scan.next : end + 1
  }
  return result
}

/** A quote at the start of a line or behind a delimiter, and the letter after it. */
const openingQuotes = (delimiter: string) => new RegExp(`(?:^|${delimiter === '|' ? '\\|' : delimiter})"`, 'g')

/** Old Macs end lines with CR alone; elsewhere a lone CR is a letter inside a field. */
function newlineOf(sample: string): Format['newline'] {
  const feeds = sample.split('\n').length
  return sample.includes('\r\n') || feeds >= sample.split('\r').length ? '\n' : '\r'
}
