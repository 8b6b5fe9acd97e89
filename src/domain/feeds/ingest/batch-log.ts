import { reason, type Log } from '../../../log.ts'
import type { Chunk } from './chunk.ts'
import type { Merged } from './merge-chunk.ts'
import { tellNotedRows, tellWrittenRows } from './row-log.ts'

const sinceMs = (begun: number): number => Math.round(performance.now() - begun)

/** Tells how a file is read and written, batch by batch (S2 §17.5, §17.7), and adds up what was read of it. */
export function batchLog(log: Log, totalBytes: number) {
  const begun = performance.now()
  const read = { rowsRead: 0, rowsParsed: 0, rowsSkipped: 0, bytes: 0 }
  let readUntil = begun
  return {
    /** A batch was read, and is about to be written. */
    read(batchNumber: number, chunk: Chunk): void {
      const {
        rowsRead = 0,
        rowsParsed = 0,
        productsRejected = 0,
        parentRowsSkipped = 0,
        bytesParsed = 0,
      } = chunk.counters
      read.rowsRead += rowsRead
      read.rowsParsed += rowsParsed
      read.rowsSkipped += productsRejected + parentRowsSkipped
      read.bytes += bytesParsed
      const batch = { batchNumber, rowsInBatch: rowsRead, durationMs: sinceMs(readUntil) }
      readUntil = performance.now()
      const { bytes, ...rows } = read
      const percentComplete = totalBytes > 0 ? Math.min(100, Math.round((100 * bytes) / totalBytes)) : null
      log.debug({ event: 'PARSE_BATCH_COMPLETE', ...batch }, 'a batch is read')
      log.debug({ event: 'PARSE_PROGRESS', ...rows, percentComplete }, 'parsing')
      tellNotedRows(chunk, log)
    },
    /** Writes a batch by `merge`, and says how that went. */
    async written(batchNumber: number, chunk: Chunk, now: Date, merge: () => Promise<Merged>): Promise<Merged> {
      const batch = { batchNumber, batchSize: chunk.rows.size }
      log.info({ event: 'UPSERT_BATCH_START', ...batch }, 'a batch begins')
      const from = performance.now()
      try {
        const merged = await merge()
        const { products: productsUpserted, prices: pricesWritten } = merged
        const durationMs = sinceMs(from)
        log.info(
          { event: 'UPSERT_BATCH_COMPLETE', ...batch, productsUpserted, pricesWritten, durationMs },
          'a batch is written',
        )
        tellWrittenRows([...chunk.rows.values()], merged.told, now, log)
        return merged
      } catch (error) {
        log.error({ event: 'UPSERT_BATCH_FAILED', ...batch, error: reason(error), rolledBack: true }, 'a batch failed')
        throw error
      }
    },
    /** The file was read to its end. */
    complete(): void {
      const { rowsRead: totalRows, rowsParsed: parsedRows, rowsSkipped: skippedRows } = read
      const durationMs = sinceMs(begun)
      log.info({ event: 'PARSE_COMPLETE', totalRows, parsedRows, skippedRows, durationMs }, 'the file is taken in')
    },
  }
}
