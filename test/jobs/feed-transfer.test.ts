import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../support/database.ts'
import { aFeedOf, openAttempts } from '../support/feed-base.ts'
import { impactCsv, productsOf } from '../support/feed-files.ts'
import { openTransfers, transient } from '../support/feed-transfer.ts'
import { startSftpServer } from '../support/sftp-server.ts'

// What each transport does about a cut stands in test/domain/feeds/transport; here, what becomes of the run.
const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const server = await startSftpServer()
afterAll(() => server[Symbol.asyncDispose]())
const attempts = await openAttempts(database, { chunkSize: 100 })
afterAll(() => attempts[Symbol.asyncDispose]())
const transfer = openTransfers({ database, attempts, server }, (text) => gzipSync(text))
const { faults } = server

const flipped = (bytes: Buffer, place: number) => {
  const other = Buffer.from(bytes)
  other[other.length + place]! ^= 1
  return other
}

test.each<[string, string, (good: Buffer) => void]>([
  ['ends before its size', 'TRANSFER_INCOMPLETE', ({ length }) => void (faults.endAt = Math.floor(length / 2))],
  [
    'has not the size that is named',
    'TRANSFER_INCOMPLETE',
    ({ length }) => void (faults.stat = (found) => ({ ...found, size: length + 7 })),
  ],
  ['was cut where it was packed', 'FILE_TRUNCATED', (good) => server.serve(good.subarray(0, good.length / 2))],
  ['has a wrong CRC', 'FILE_CORRUPT', (good) => server.serve(flipped(good, -6))],
])(
  'FAULTS R12: a file that %s is never shown, and the next attempt leaves what it should',
  async (_what, code, spoil) => {
    expect(await transfer(spoil)).toEqual(transient(code))
  },
)

test('RULINGS 23: at the last attempt the rows before a cut are counted, the run is partial, and nothing is shown', async () => {
  const feed = await aFeedOf(database, server)
  const [day, next] = [new Date('2026-03-01'), new Date('2026-03-02')]
  const titles = async () => {
    const { rows } = await database.pool.query<{ title: string }>(
      'select distinct title from freshet.visible_offers($2) where source_id = $1',
      [feed.sourceId, next],
    )
    return rows.map(({ title }) => title)
  }
  server.mend()
  server.serve(gzipSync(impactCsv(productsOf(600, () => ({ title: 'first' })))), day)
  await attempts.attempt(feed, { now: day })
  const packed = gzipSync(impactCsv(productsOf(600, () => ({ title: 'second' }))))
  server.serve(packed.subarray(0, packed.length / 2), next)
  const { jobId, outcome } = await attempts.attempt(feed, { now: next, isLast: true })
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'FILE_TRUNCATED' } })
  const { rows } = await database.pool.query<{ status: string; rows: number; is_partial: boolean }>(
    `select r.status, (r.counters ->> 'rowsRead')::int as rows, f.is_partial
     from freshet.runs r join freshet.feed_runs f on f.run_id = r.id where r.job_id = $1`,
    [jobId],
  )
  expect(rows).toEqual([{ status: 'FAILED', rows: expect.any(Number) as number, is_partial: true }])
  expect(rows[0]!.rows).toBeGreaterThan(100)
  expect(rows[0]!.rows).toBeLessThan(600)
  expect(await titles()).toEqual(['first'])
  server.serve(packed, next)
  await attempts.attempt(feed, { now: next })
  expect(await titles()).toEqual(['second'])
})
