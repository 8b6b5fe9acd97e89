import type { FileHandle } from 'node:fs/promises'
import { openFeedFile, type FeedFile } from '../bytes/open-feed-file.ts'
import { openCsv, type Csv } from '../csv/open-csv.ts'
import type { FileRow, RowFault } from '../csv/format.ts'
import { bindColumns, type Binding } from '../dialects/bind-columns.ts'
import { dialects } from '../dialects/index.ts'
import { columnRead, recordReader } from '../dialects/record-reader.ts'
import { delimiterOf, type FeedForRun } from '../feed-for-run.ts'
import { shortRow, shortText } from '../row/row-errors.ts'
import { addRow, count, fault, isEmpty, newChunk, note, type Chunk } from './chunk.ts'
import { findDecimalMark, type FoundMark } from '../row/decimal-mark.ts'
import { readFeedRow, withOwnText } from '../row/feed-row.ts'
import { readIdentifier } from '../row/identity.ts'

/** A file that turned out to be a table of products. */
export type FeedTable = { file: FeedFile; csv: Csv; binding: Binding; decimal: FoundMark }

type Settings = Pick<
  FeedForRun,
  'dialect' | 'delimiter' | 'quoting' | 'columnMap' | 'defaultCurrency' | 'decimalMark' | 'maxRowCount'
>

/** Opens a downloaded file and finds its columns. It throws at once where no row of it could become an offer. */
export async function openTable(handle: FileHandle, feed: Settings, signal: AbortSignal): Promise<FeedTable> {
  const file = await openFeedFile(handle, { signal })
  const fixed = {
    ...(feed.delimiter && { delimiter: delimiterOf[feed.delimiter] }),
    ...(feed.quoting && { quoting: feed.quoting }),
  }
  const csv = await openCsv(file.text, { fixed, limits: { characters: 1_000_000, rows: feed.maxRowCount } })
  const binding = bindColumns(csv.header.fields, dialects[feed.dialect], feed.columnMap)
  const read = recordReader(binding)
  const first = csv.firstRows.map(({ fields }) => read(fields))
  return { file, csv, binding, decimal: findDecimalMark(first, feed) }
}

/** Of the unpacked file: a chunk holds on to the text that its rows were read from. 20,000 rows of the usual 600 bytes stay below. */
const usualChunkBytes = 16 * 1024 * 1024

/** Bytes of text for each row of a batch, beyond which what is kept of its rows is copied. */
const longRow = 4_096

/** How large a chunk may become: in rows of the file, and in bytes of it. */
type ChunkLimits = { size: number; maxBytes?: number }

/**
 * The rows of a table as chunks of so many rows of the file, or fewer where they are long. What stands before a fault in the file
 * comes before it is thrown.
 */
export async function* readChunks(
  { file, csv, binding, decimal }: FeedTable,
  feed: Settings,
  { size, maxBytes = usualChunkBytes, now }: ChunkLimits & { now: Date },
): AsyncGenerator<Chunk> {
  const { isParentRow, parentOf } = dialects[feed.dialect]
  const read = recordReader(binding)
  const settings = { dialect: feed.dialect, currency: feed.defaultCurrency, decimalMark: decimal.mark, now }
  const { fields: header } = csv.header
  const columnName = (column = -1) => shortText(header[column] ?? '')
  let chunk = newChunk()
  let bytes = 0
  let unpacked = file.seen.bytesOut
  let ofBatches = 0

  const takeRow = ({ line, fields }: FileRow, isLong: boolean): void => {
    count(chunk, 'rowsRead')
    const raw = read(fields)
    if (isParentRow(raw)) {
      count(chunk, 'parentRowsSkipped')
      note(chunk, 'PARENT_ROW_SKIPPED', () => ({ line, message: 'The row stands for its variants.' }))
      return
    }
    const parent = readIdentifier(parentOf(raw))
    if (parent !== null) chunk.parents.add(isLong ? structuredClone(parent) : parent)
    const row = readFeedRow(raw, line, settings)
    if ('code' in row) {
      count(chunk, 'productsRejected')
      const { code, field, message } = row
      fault(chunk, code, () => ({
        line,
        message,
        details: { field, column: columnName(columnRead(binding, field, fields)), row: shortRow(fields, header) },
      }))
      return
    }
    count(chunk, 'rowsParsed')
    if (row.identity.type === 'URL_HASH')
      note(chunk, 'URL_HASH_FALLBACK', () => ({
        line,
        item: row.url,
        message: 'The row has neither an item id nor a SKU.',
      }))
    addRow(chunk, isLong ? withOwnText(row) : row)
  }
  const takeFault = ({ line, code, message, raw }: RowFault): void => {
    count(chunk, 'rowsRead')
    count(chunk, 'productsRejected')
    fault(chunk, code, () => ({ line, message, details: { row: raw } }))
  }
  const finished = () => {
    count(chunk, 'bytesParsed', file.seen.bytesIn - bytes)
    bytes = file.seen.bytesIn
    unpacked = file.seen.bytesOut
    const done = chunk
    chunk = newChunk()
    return done
  }

  try {
    for await (const { records, faults } of csv.batches) {
      const isLong = file.seen.bytesOut - ofBatches > longRow * records.length
      ofBatches = file.seen.bytesOut
      for (const record of records) {
        takeRow(record, isLong)
        if ((chunk.counters.rowsRead ?? 0) >= size) yield finished()
      }
      for (const each of faults) takeFault(each)
      if (file.seen.bytesOut - unpacked >= maxBytes && !isEmpty(chunk)) yield finished()
    }
  } catch (error) {
    if (!isEmpty(chunk)) yield finished()
    throw error
  }
  if (!isEmpty(chunk)) yield finished()
}
