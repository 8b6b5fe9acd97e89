import { PermanentError } from '../../queue/job-error.ts'
import type { Batch, Format } from './format.ts'
import { createSplitter } from './split-rows.ts'

/** How long a row may be, in characters, and how many rows a file may have below its header. */
export type RowLimits = { characters: number; rows: number }

export const usualRowLimits: RowLimits = { characters: 1_000_000, rows: 500_000 }

/**
 * The rows of a text in batches, the header first. Where the text fails, or has too many rows, all complete rows before that
 * come first; a row that was cut is none.
 */
export async function* readRecords(
  text: AsyncIterable<string>,
  format: Format,
  { characters, rows }: RowLimits = usualRowLimits,
): AsyncGenerator<Batch> {
  const splitter = createSplitter(format, characters)
  let left = rows + 1 // the header is a record, too
  const admit = ({ records, faults }: Batch): Batch => {
    left -= records.length + faults.length
    return left >= 0 ? { records, faults } : firstOf({ records, faults }, left + records.length + faults.length)
  }
  for await (const piece of text) {
    const batch = admit(splitter.push(piece))
    if (isFilled(batch)) yield batch
    if (left < 0) throw tooMany(rows)
  }
  const batch = admit(splitter.end())
  if (isFilled(batch)) yield batch
  if (left < 0) throw tooMany(rows)
}

const isFilled = ({ records, faults }: Batch): boolean => records.length + faults.length > 0

/** The first rows of a batch, by their lines. */
function firstOf({ records, faults }: Batch, count: number): Batch {
  const lines = [...records, ...faults].map(({ line }) => line).toSorted((a, b) => a - b)
  const isFirst = ({ line }: { line: number }) => line < (lines[count] ?? Infinity)
  return { records: records.filter(isFirst), faults: faults.filter(isFirst) }
}

const tooMany = (rows: number) =>
  new PermanentError(`The file has more than the ${rows} rows that are allowed.`, { code: 'ROW_COUNT_LIMIT_EXCEEDED' })
