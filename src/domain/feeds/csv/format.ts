import type { FailureCode } from '../../failure-codes.ts'

export const delimiters = [',', '\t', '|', ';'] as const

/** How the rows of a file are written. NONE: a quote is a letter like any other. */
export type Format = {
  delimiter: (typeof delimiters)[number]
  quoting: 'QUOTED' | 'NONE'
  newline: '\n' | '\r'
}

/** A row as it stands in the file, beginning in this line of it; the header has line 1 where nothing stands before it. */
export type FileRow = { line: number; fields: string[] }

/** A row that could not be read, with what it looks like. */
export type RowFault = { line: number; code: FailureCode; message: string; raw: string }

export type Batch = { records: FileRow[]; faults: RowFault[] }
