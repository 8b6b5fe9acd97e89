import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { Problem } from '../errors.ts'

/** A table as it stands in a file; `line` is where a record begins, the header is line 1. */
export type Table = { header: string[]; records: { line: number; cells: string[] }[] }

/** Where a problem of a list lies; the header is line 1. */
type Place = { field: string; line: number; column?: string }

export const at = (line: number, column?: string): Place =>
  column === undefined ? { field: `csv.line ${line}`, line } : { field: `csv.line ${line}.${column}`, line, column }

export const atHeader = (column: string): Place => ({ field: `csv.header.${column}`, line: 1, column })

export const maxRows = 50_000
const maxCharactersPerRow = 100_000
const sliceBytes = 16_384

/**
 * Reads comma-separated text, or says why it cannot be read. Rows without any value are passed over. A long text is read
 * in slices: between them others have their turn.
 */
export async function readCsv(csv: string): Promise<Table | Problem> {
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
    const bytes = Buffer.from(csv.replaceAll(/\r\n?/g, '\n'))
    const records: Table['records'] = []
    const parser = Readable.from(slicesOf(bytes)).compose(parse(options))
    for await (const found of parser as AsyncIterable<Found>) records.push(toRecord(found))
    const first = records.shift()
    if (!first) return { field: 'csv', message: 'is empty.' }
    if (records.length > maxRows) return { field: 'csv', message: `has more than ${maxRows} rows. Split it.` }
    return { header: first.cells.map((name) => name.trim().toLowerCase()), records }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return { ...at(Number(error.lines)), message: `is not well-formed. ${error.message}.` }
  }
}

async function* slicesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    yield bytes.subarray(start, start + sliceBytes)
    await turn()
  }
}

type Found = { record: string[]; info: { lines: number } }

/** `lines` counts up to the record's end; where it begins is what a person looks for. */
function toRecord({ record, info }: Found) {
  return { line: info.lines - record.join('').split('\n').length + 1, cells: record }
}
