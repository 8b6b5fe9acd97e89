import { PermanentError } from '../../queue/job-error.ts'
import type { Batch, FileRow, Format } from './format.ts'
import { refuseUnlessCsv } from './not-csv.ts'
import { peek, sampleCharacters } from './peek.ts'
import { readRecords, usualRowLimits, type RowLimits } from './read-records.ts'
import { sniff } from './sniff.ts'
import { createSplitter } from './split-rows.ts'

export type Csv = {
  format: Format
  header: FileRow
  /** The first rows, for a look ahead; they come again. */
  firstRows: FileRow[]
  /** The rows below the header; to be read once. */
  batches: AsyncIterable<Batch>
}

type Options = { fixed?: Partial<Pick<Format, 'delimiter' | 'quoting'>>; limits?: RowLimits }

/** How many rows are looked at ahead, and how far: enough to meet a price that leaves no doubt. */
const firstRows = 1_000
const firstCharacters = 16 * sampleCharacters

/** Opens a text as a table: finds how it is written, and reads its header. It throws at once where there is none. */
export async function openCsv(
  text: AsyncIterable<string>,
  { fixed = {}, limits = usualRowLimits }: Options = {},
): Promise<Csv> {
  const { sample, isWhole, text: whole } = await peek(text, firstCharacters)
  const start = sample.slice(0, sampleCharacters)
  refuseUnlessCsv(start)
  const format = sniff(start, { isWhole: isWhole && start.length === sample.length, fixed })
  const batches = readRecords(whole, format, limits)
  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    const { records, faults } = next.value
    const [header, ...rows] = records
    const [fault] = faults
    if (fault && fault.line < (header?.line ?? Infinity)) throw unreadable(fault)
    if (header)
      return {
        format,
        header,
        firstRows: firstRowsOf(sample, isWhole, format, limits),
        batches: joined({ records: rows, faults }, batches),
      }
  }
  throw new PermanentError('The file has no header.', { code: 'FEED_EMPTY' })
}

/** The complete rows at the start of a text, without its header; how much is read at once makes no difference to them. */
function firstRowsOf(sample: string, isWhole: boolean, format: Format, { characters }: RowLimits): FileRow[] {
  const splitter = createSplitter(format, characters)
  const { records } = splitter.push(sample)
  const all = isWhole ? [...records, ...splitter.end().records] : records
  return all.slice(1, 1 + firstRows)
}

const unreadable = ({ line, message }: { line: number; message: string }) =>
  new PermanentError(`The header in line ${line} cannot be read. ${message}`, { code: 'FEED_HEADER_UNUSABLE' })

async function* joined(first: Batch, rest: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    if (first.records.length + first.faults.length > 0) yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
