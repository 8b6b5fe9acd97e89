import type { FileHandle } from 'node:fs/promises'
import { queryRows } from '../../../db/sql.ts'
import type { Log } from '../../../log.ts'
import { PermanentError } from '../../queue/job-error.ts'
import type { RunContext } from '../../runs/context.ts'
import type { FeedForRun } from '../feed-for-run.ts'
import { mergeChunk } from './merge-chunk.ts'
import { openTable, readChunks, type FeedTable } from './read-chunks.ts'

type Occasion = {
  now: () => Date
  log: Log
  /** Aborted when the process is to stop: between two chunks the work may be put back. */
  stopping: AbortSignal
  /** Rows of the file that are written together. */
  chunkSize?: number
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
  await keepFound(run, found)
  await queryRows(run.sql, 'select freshet.open_feed_staging()')

  const begun = performance.now()
  let products = 0
  let number = 0
  let merging: Promise<void> = Promise.resolve()
  merging.catch(() => {})
  const merge = async (chunk: Parameters<typeof mergeChunk>[1]) => {
    const batch = { batchNumber: ++number, batchSize: chunk.rows.size }
    log.debug({ event: 'UPSERT_BATCH_START', ...batch }, 'a batch begins')
    const from = performance.now()
    const upserted = await mergeChunk(run, chunk, { number, isProbed: feed.isPromoted, now: now() })
    const durationMs = Math.round(performance.now() - from)
    log.debug(
      { event: 'UPSERT_BATCH_COMPLETE', ...batch, productsUpserted: upserted, durationMs },
      'a batch is written',
    )
    products += upserted
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
  await keepFound(run, describe(table))
  log.info(
    { event: 'PARSE_COMPLETE', products, durationMs: Math.round(performance.now() - begun) },
    'the file is taken in',
  )
}

/** What a file turned out to be, for people. */
export function describe({ file, csv, binding }: FeedTable) {
  const columns = Object.fromEntries(
    Object.entries(binding.columns).flatMap(([field, [first]]) =>
      first === undefined ? [] : [[field, csv.header.fields[first] ?? '']],
    ),
  )
  return {
    format: 'CSV',
    compression: file.compression,
    ...(file.entry && { entry: file.entry }),
    encoding: file.found.encoding,
    delimiter: csv.format.delimiter,
    quoting: csv.format.quoting,
    header: csv.header.fields,
    columns,
    unknownColumns: binding.unknown,
    invalidAt: file.found.invalid,
  }
}

type Found = ReturnType<typeof describe>

const keepFound = (run: RunContext, found: Found) =>
  queryRows(run.sql, 'update freshet.feed_runs set found = $2, warnings = $3 where run_id = $1', [
    run.runId,
    JSON.stringify(found),
    JSON.stringify(warningsOf(found)),
  ])

/** What an operator should know of a file that was taken in all the same. */
export function warningsOf({ encoding, invalidAt }: Found): { code: string; message: string }[] {
  if (invalidAt === undefined) return []
  const message = `The file is not valid UTF-8 (byte ${JSON.stringify(invalidAt)}); it was read as ${encoding}.`
  return [{ code: 'ENCODING_FALLBACK', message }]
}

const tooManyProducts = ({ maxProductCount }: FeedForRun) =>
  new PermanentError(`The file has more than ${maxProductCount} products.`, { code: 'UNIQUE_PRODUCT_LIMIT_EXCEEDED' })
