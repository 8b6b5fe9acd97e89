import type { FileHandle } from 'node:fs/promises'
import { queryRows } from '../../../db/sql.ts'
import type { Log } from '../../../log.ts'
import type { FailureCode } from '../../failure-codes.ts'
import { PermanentError } from '../../queue/job-error.ts'
import type { RunContext } from '../../runs/context.ts'
import type { FeedForRun } from '../feed-for-run.ts'
import { shortText } from '../row/row-errors.ts'
import { encodingWarning } from '../bytes/decode-text.ts'
import { batchLog } from './batch-log.ts'
import type { Chunk } from './chunk.ts'
import { mergeChunk } from './merge-chunk.ts'
import { openTable, readChunks, type FeedTable } from './read-chunks.ts'
import { tellTotals } from './row-log.ts'

type Occasion = {
  now: () => Date
  log: Log
  /** Aborted when the process is to stop: between two chunks the work may be put back. */
  stopping: AbortSignal
  /** Rows of the file that are written together. */
  chunkSize?: number | undefined
}

const usualChunkSize = 20_000

/**
 * Takes a downloaded file in: reads, maps and writes it a chunk at a time, the next one being read while Postgres merges this
 * one. Memory is bounded by two chunks, whatever the file. Nothing of it is visible yet.
 */
export async function ingestFile(
  run: RunContext,
  handle: FileHandle,
  feed: FeedForRun,
  { now, log, stopping, chunkSize = usualChunkSize }: Occasion,
): Promise<void> {
  const table = await openTable(handle, feed, run.signal)
  const found = describe(table)
  log.info(
    { event: 'PARSE_START', format: 'CSV', encoding: found.encoding, expectedColumns: found.columns },
    'parsing begins',
  )
  log.debug(
    { event: 'PARSE_HEADERS', headers: table.csv.header.fields, mappedColumns: found.columns },
    'the header is bound',
  )
  for (const columnName of table.binding.missing)
    log.debug({ event: 'PARSE_COLUMN_MISSING', columnName, required: false }, 'no column tells this field')
  await keepFound(run, found, [])
  await queryRows(run.sql, 'select freshet.open_feed_staging()')

  const { size } = await handle.stat()
  const told = batchLog(log, size)
  let products = 0
  let number = 0
  let merging: Promise<void> = Promise.resolve()
  merging.catch(() => {})
  const merge = async (chunk: Chunk) => {
    const at = now()
    const options = { number: ++number, isProbed: feed.isPromoted, now: at, log }
    told.read(number, chunk)
    const merged = await told.written(number, chunk, at, () => mergeChunk(run, chunk, options))
    products += merged.products
    if (products > feed.maxProductCount) throw tooManyProducts(feed)
  }
  try {
    for await (const chunk of readChunks(table, feed, { size: chunkSize, now: now() })) {
      await merging
      run.signal.throwIfAborted()
      stopping.throwIfAborted()
      merging = merge(chunk)
      merging.catch(() => {}) // told when it is awaited
    }
  } finally {
    await merging // what was read before a fault of the file is written
  }
  const skipParents = 'select freshet.skip_parent_offers($1, $2, $3)'
  await run.transaction(() => queryRows(run.sql, skipParents, [run.runId, run.attempt, now()]))
  await keepFound(run, describe(table), warningsOf(table))
  told.complete()
  await tellTotals(run, log)
}

/** What a file turned out to be, for people: short and clean, whatever it calls its columns. */
export function describe({ file, csv, binding, decimal }: FeedTable) {
  const header = csv.header.fields.map((name) => shortText(name))
  const columns = Object.fromEntries(
    Object.entries(binding.columns).flatMap(([field, [first]]) =>
      first === undefined ? [] : [[field, header[first] ?? '']],
    ),
  )
  return {
    format: 'CSV',
    compression: file.compression,
    ...(file.entry && { entry: file.entry }),
    encoding: file.found.encoding,
    delimiter: csv.format.delimiter,
    quoting: csv.format.quoting,
    decimalMark: decimal.decimalMark,
    decimalMarkFrom: decimal.from,
    header,
    columns,
    unknownColumns: binding.unknown.map((name) => shortText(name)),
  }
}

type Found = ReturnType<typeof describe>
export type Warning = { code: FailureCode; message: string }

/** What an operator should know of a file that was taken in all the same; complete when it was read to its end. */
export const warningsOf = ({ file, decimal }: FeedTable): Warning[] =>
  [encodingWarning(file.found) ?? [], decimal.warning ?? []].flat()

const keepFound = (run: RunContext, found: Found, warnings: Warning[]) =>
  queryRows(run.sql, 'update freshet.feed_runs set found = $2, warnings = $3 where run_id = $1', [
    run.runId,
    JSON.stringify(found),
    JSON.stringify(warnings),
  ])

const tooManyProducts = ({ maxProductCount }: FeedForRun) =>
  new PermanentError(`The file has more than ${maxProductCount} products.`, { code: 'UNIQUE_PRODUCT_LIMIT_EXCEEDED' })
