import { randomUUID } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import pg from 'pg'
import { migrate } from '../../src/db/migrate/migrate.ts'
import { queryRows } from '../../src/db/sql.ts'
import { concludeFeedRun } from '../../src/domain/feeds/conclude-feed-run.ts'
import { readFeedForRun } from '../../src/domain/feeds/feed-for-run.ts'
import { ingestFile } from '../../src/domain/feeds/ingest/ingest-file.ts'
import { executeRun } from '../../src/domain/runs/execute-run.ts'
import { createLog, withLogFields } from '../../src/log.ts'
import { makeJob, makeQueue } from '../../test/support/queue.ts'
import { aRetailer, aSource, insertRow } from '../../test/support/rows.ts'

export type Feed = { feedId: string; sourceId: string }

/** How long a run took to take its file in, and then to judge and show it; and what both wrote to the log of Postgres. */
export type Measured = { ingestMs: number; promoteMs: number; walMb: number }

/** The moment of the first run; the others come so many hours later. */
const begin = Date.UTC(2026, 2, 1)
export const hour = (hours: number): Date => new Date(begin + hours * 3_600_000)

const queue = 'bench-feed'
const never = new AbortController().signal
const log = createLog({ level: 'silent' })

export const feedsUpTo = { max_row_count: 10_000_000, max_product_count: 10_000_000 }

/** Runs of feeds as a worker does them, from the downloaded file to what consumers see, on a database that is migrated here. */
export async function openStand(url: string) {
  await migrate(url)
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  await makeQueue(pool, queue)

  async function makeFeed(): Promise<Feed> {
    const retailerId = await aRetailer(pool, { slug: randomUUID() })
    const kind = { kind: 'AFFILIATE_FEED', affiliate_network: 'IMPACT', is_display_primary: true }
    const sourceId = await aSource(pool, retailerId, kind)
    const place = { host: 'files.example', path: '/catalog.csv.gz', username: 'user', dialect: 'IMPACT' }
    const feed = { source_id: sourceId, status: 'ENABLED', ...place, ...feedsUpTo }
    return { feedId: await insertRow(pool, 'feeds', feed), sourceId }
  }

  /** One run; without `isShown` it stops where the file is taken in. */
  async function run(feed: Feed, handle: FileHandle, at: Date, { isShown = true } = {}): Promise<Measured> {
    const jobId = await makeJob(pool, queue, { state: 'active' })
    const lock = { lockClass: 4620, lockId: Number(feed.feedId) }
    const job = { pool, directUrl: url, log, now: () => at, isLastAttempt: true, signal: never, stopping: never }
    const request = { jobId, lock, kind: 'FEED', trigger: 'MANUAL', sourceId: feed.sourceId } as const
    const times: number[] = []
    const before = await walPosition(pool)
    await withLogFields({}, () =>
      executeRun(request, job, async (run) => {
        const settings = await readFeedForRun(run.sql, feed.feedId, run.runId)
        times.push(performance.now())
        await ingestFile(run, handle, settings, { now: () => at, log, stopping: never })
        times.push(performance.now())
        if (isShown) await concludeFeedRun(run, settings, at, log)
        times.push(performance.now())
      }),
    )
    await handle.close()
    const [start = 0, taken = 0, end = 0] = times
    const walMb = ((await walPosition(pool)) - before) / 1e6
    return { ingestMs: taken - start, promoteMs: end - taken, walMb }
  }

  return { url, pool, makeFeed, run, [Symbol.asyncDispose]: () => pool.end() }
}

export type Stand = Awaited<ReturnType<typeof openStand>>

async function walPosition(pool: pg.Pool): Promise<number> {
  const [row] = await queryRows<{ bytes: string }>(pool, `select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`)
  return Number(row?.bytes)
}
