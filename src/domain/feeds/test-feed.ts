import { queryRows } from '../../db/sql.ts'
import { scrub } from '../../log.ts'
import type { RunContext } from '../runs/context.ts'
import type { FeedForRun } from './feed-for-run.ts'
import { connectionOf } from './feed-for-run.ts'
import { cleanJson } from '../text.ts'
import { learnHostKey } from './learn-host-key.ts'
import type { FeedServices } from './ingest-feed.ts'
import type { Chunk } from './ingest/chunk.ts'
import type { FeedRow } from './row/feed-row.ts'
import { describe, warningsOf, type Warning } from './ingest/ingest-file.ts'
import { openTable, readChunks } from './ingest/read-chunks.ts'
import { fetchFeedFile } from './transport/fetch-feed-file.ts'

const rowsRead = 100
const rowsShown = 10

/** A row as the offer that it would become, by the names that offers have. */
type SampleRow = Pick<FeedRow, 'itemId' | 'sku' | 'title' | 'url' | 'currency' | 'inStock'> & { price: string }

/** What a test found out; also what `FeedRun.testResult` answers. */
export type FeedTestResult = {
  success: boolean
  rowsDetected: number
  formatDetected: ReturnType<typeof describe>
  sampleRows: SampleRow[]
  errors: Chunk['samples']
  warnings: Warning[]
  fileBytes: number
}

/**
 * Tries a feed out (S2 §12.5, RULINGS 24): fetches its file, reads the first rows and keeps what they would become. Nothing else
 * is written but the pin of a host key that was never seen before.
 */
export async function testFeed(run: RunContext, feed: FeedForRun, services: FeedServices): Promise<void> {
  const { outside, dir, openKeys, log, stopping, now } = services
  await queryRows(run.sql, 'select freshet.begin_feed_test($1, $2)', [run.runId, isStored(feed) ? feed.id : null])
  await run.stage('DOWNLOAD')
  const fetched = await fetchFeedFile(connectionOf(feed, await openKeys()), {
    dir,
    log,
    signal: AbortSignal.any([run.signal, stopping]),
    allowPrivate: outside.allowPrivateNetwork,
    allowPlainFtp: outside.allowPlainFtp,
    maxBytes: feed.maxFileSizeBytes,
    ...(isStored(feed) && { onHostKey: (fingerprint) => learnHostKey(run.sql, feed, fingerprint, log) }),
    isLastAttempt: true,
  })
  if (fetched.kind === 'unchanged') throw new Error('A test reads the file whether it changed or not.')
  await using file = fetched
  await run.stage('PARSE')
  const table = await openTable(file.handle, { ...feed, maxRowCount: Number.MAX_SAFE_INTEGER }, run.signal)
  const first = await firstChunk(readChunks(table, feed, { size: rowsRead, now: now() }))
  const found = describe(table)
  // As far as the rows that were read tell: others may name a parent further down.
  const rows = first ? Array.from(first.rows.values()).filter(({ sku }) => sku === null || !first.parents.has(sku)) : []
  const rowsDetected = first?.counters.rowsRead ?? 0
  const result: FeedTestResult = {
    success: rows.length > 0,
    rowsDetected,
    formatDetected: found,
    sampleRows: rows.slice(0, rowsShown).map(({ itemId, sku, title, url, amount, currency, inStock }) => ({
      itemId,
      sku,
      title,
      url,
      price: amount,
      currency,
      inStock,
    })),
    errors: first?.samples ?? [],
    warnings: [...warningsOf(table), ...(rowsDetected === 0 ? [withoutRows] : [])],
    fileBytes: file.bytes,
  }
  await run.transaction(async () => {
    if (first) await run.progress({ ...first.counters, downloadBytes: file.bytes })
    if (first && Object.keys(first.totals).length > 0) await run.sampleErrors(first)
    const statement = 'update freshet.feed_runs set test_result = $2, found = $3 where run_id = $1'
    await queryRows(run.sql, statement, [run.runId, kept(result), kept(found)])
  })
}

const withoutRows: Warning = { code: 'FEED_WITHOUT_ROWS', message: 'The file has a header, and no row below it.' }

/** What stands in the file of others, the password that opened it too, is shown without that. */
const kept = (found: object): string => scrub(cleanJson(found))

const isStored = ({ sourceId }: FeedForRun) => sourceId !== null

async function firstChunk(chunks: AsyncGenerator<Chunk>): Promise<Chunk | undefined> {
  const { value } = await chunks.next()
  await chunks.return(undefined)
  return value as Chunk | undefined
}
