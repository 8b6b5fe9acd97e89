import { expect, test } from 'vitest'
import { batchLog } from '../../../../src/domain/feeds/ingest/batch-log.ts'
import { newChunk } from '../../../../src/domain/feeds/ingest/chunk.ts'
import { createLog } from '../../../../src/log.ts'
import { collectLines } from '../../../support/lines.ts'

test('S2 §17.7: a batch that could not be written is told with what went wrong, and goes on to fail its run', async () => {
  const { lines, stream } = collectLines()
  const told = batchLog(createLog({ level: 'info', destination: stream }), 100)
  const failing = told.written(3, newChunk(), new Date(0), () => Promise.reject(new Error('the connection is gone')))
  await expect(failing).rejects.toThrow('the connection is gone')
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'info', event: 'UPSERT_BATCH_START', batchNumber: 3, batchSize: 0 },
    { level: 'error', event: 'UPSERT_BATCH_FAILED', batchNumber: 3, error: 'the connection is gone', rolledBack: true },
  ])
})
