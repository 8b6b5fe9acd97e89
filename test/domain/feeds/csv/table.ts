import type { Batch, Format } from '../../../../src/domain/feeds/csv/format.ts'
import { readRecords, usualRowLimits, type RowLimits } from '../../../../src/domain/feeds/csv/read-records.ts'

export const csv: Format = { delimiter: ',', quoting: 'QUOTED', newline: '\n' }
export const tsv: Format = { delimiter: '\t', quoting: 'NONE', newline: '\n' }

/** A text in pieces of these lengths; what is left comes as one more. */
export async function* inPieces(text: string, lengths: number[] = []): AsyncGenerator<string> {
  let at = 0
  for (const length of lengths) {
    yield text.slice(at, at + length)
    at += length
  }
  yield text.slice(at)
}

/** All rows of a text, the header among them, and what it failed with. */
export async function readAll(
  text: string | AsyncIterable<string>,
  format: Format = csv,
  { lengths = [], limits = {} }: { lengths?: number[]; limits?: Partial<RowLimits> } = {},
): Promise<Batch & { failure?: unknown }> {
  const all: Batch & { failure?: unknown } = { records: [], faults: [] }
  const pieces = typeof text === 'string' ? inPieces(text, lengths) : text
  try {
    for await (const { records, faults } of readRecords(pieces, format, { ...usualRowLimits, ...limits })) {
      all.records.push(...records)
      all.faults.push(...faults)
    }
  } catch (failure) {
    all.failure = failure
  }
  return all
}

export const row = (line: number, ...fields: string[]) => ({ line, fields })
