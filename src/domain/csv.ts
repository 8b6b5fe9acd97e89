import { CsvError, parse } from 'csv-parse/sync'
import type { Problem } from './errors.ts'

/** A table as it stands in a file; `line` is where a record begins, the header is line 1. */
export type Table = { header: string[]; records: { line: number; cells: string[] }[] }

/** Where a problem of a list lies; the header is line 1. */
type Place = { field: string; line: number; column?: string }

export const at = (line: number, column?: string): Place =>
  column === undefined ? { field: `csv.line ${line}`, line } : { field: `csv.line ${line}.${column}`, line, column }

export const atHeader = (column: string): Place => ({ field: `csv.header.${column}`, line: 1, column })

export const maxRows = 50_000
const maxCharactersPerRow = 100_000

/** Reads comma-separated text, or says why it cannot be read. Rows without any value are passed over. */
export function readCsv(csv: string): Table | Problem {
  const options = {
    bom: true,
    info: true,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    max_record_size: maxCharactersPerRow,
    to: maxRows + 2,
  } as const
  try {
    // One kind of line end: files mix them, and the parser counts CR LF inside quotes as two lines.
    const all = parse(csv.replaceAll(/\r\n?/g, '\n'), options) as unknown as { record: string[]; info: Info }[]
    const [first, ...rest] = all
    if (!first) return { field: 'csv', message: 'is empty.' }
    if (rest.length > maxRows) return { field: 'csv', message: `has more than ${maxRows} rows. Split it.` }
    return { header: first.record.map((name) => name.trim().toLowerCase()), records: rest.map(toRecord) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { ...at(Number(error.lines)), message: `is not well-formed. ${error.message}.` }
  }
}

type Info = { lines: number }

/** `lines` counts up to the record's end; where it begins is what a person looks for. */
function toRecord({ record, info }: { record: string[]; info: Info }) {
  return { line: info.lines - record.join('').split('\n').length + 1, cells: record }
}
