import type { Config } from '../../config.ts'
import { queryRows } from '../../db/sql.ts'
import { addLogFields, type Log } from '../../log.ts'
import type { RunContext } from '../runs/context.ts'
import type { KeyRing } from './credentials/key-ring.ts'
import { downloadProgress } from './download-progress.ts'
import { connectionOf, readFeedForRun, type FeedForRun } from './feed-for-run.ts'
import { ingestFile } from './ingest/ingest-file.ts'
import { learnHostKey } from './learn-host-key.ts'
import { fetchFeedFile, type FetchOutcome } from './transport/fetch-feed-file.ts'
import { isUnchanged, looksUnchanged } from './unchanged.ts'
import { concludeFeedRun } from './conclude-feed-run.ts'

/** What the run of a feed needs of its surroundings. */
export type FeedServices = {
  outside: Pick<Config['outside'], 'allowPlainFtp' | 'allowPrivateNetwork'>
  /** Where temporary files are made. */
  dir: string
  openKeys: () => Promise<KeyRing>
  now: () => Date
  log: Log
  stopping: AbortSignal
  isLastAttempt: boolean
  /** Rows of the file that are written together, if not as many as usual. */
  chunkSize?: number | undefined
}

/**
 * The work of a feed's run, from the file on its server to offers that consumers see, or to a block (S2 §6.4): download, stop
 * where nothing changed, take in, judge, show. The feed's lock is held all the while.
 */
export async function ingestFeed(run: RunContext, feedId: string, services: FeedServices): Promise<void> {
  const { log, now } = services
  const feed = await readFeedForRun(run.sql, feedId, run.runId)
  addLogFields({ network: feed.network })
  await run.stage('DOWNLOAD')
  const fetched = await download(run, feed, services)
  if (fetched.kind === 'unchanged') return skip(run, 'UNCHANGED_MTIME', services)
  await using file = fetched
  await noteFile(run, file)
  if (isUnchanged(feed, file.sha256)) {
    log.info(
      { event: 'DOWNLOAD_SKIPPED_UNCHANGED', reason: 'UNCHANGED_HASH', hash: file.sha256.toString('hex') },
      'the file is as it was',
    )
    return skip(run, 'UNCHANGED_HASH', services)
  }
  await run.stage('PARSE')
  await ingestFile(run, file.handle, feed, services)
  await run.stage('EVALUATE')
  await concludeFeedRun(run, feed, now(), log)
}

async function download(run: RunContext, feed: FeedForRun, services: FeedServices): Promise<FetchOutcome> {
  const { outside, dir, openKeys, log, isLastAttempt, stopping } = services
  const connection = connectionOf(feed, await openKeys())
  await using progress = downloadProgress(run)
  return await fetchFeedFile(connection, {
    dir,
    log,
    // Nothing is written yet: a process that stops puts the run back at once.
    signal: AbortSignal.any([run.signal, stopping]),
    allowPrivate: outside.allowPrivateNetwork,
    allowPlainFtp: outside.allowPlainFtp,
    maxBytes: feed.maxFileSizeBytes,
    isUnchanged: (stat) => looksUnchanged(feed, stat),
    onHostKey: (fingerprint) => learnHostKey(run.sql, feed, fingerprint, log),
    lastKnown: {
      ...(feed.lastRemoteSize !== null && { size: feed.lastRemoteSize }),
      ...(feed.lastRemoteMtime && { mtime: feed.lastRemoteMtime }),
    },
    onProgress: progress.tell,
    isLastAttempt,
  })
}

/** Notes what was downloaded; the feed remembers it only once a run has processed it (DESIGN 9.11). */
async function noteFile(run: RunContext, { sha256, stat }: Extract<FetchOutcome, { kind: 'fetched' }>): Promise<void> {
  const statement =
    'update freshet.feed_runs set content_hash = $2, remote_mtime = $3, remote_size = $4 where run_id = $1'
  await queryRows(run.sql, statement, [run.runId, sha256, stat.mtime ?? null, stat.size ?? null])
}

async function skip(
  run: RunContext,
  reason: 'UNCHANGED_MTIME' | 'UNCHANGED_HASH',
  { now, log }: FeedServices,
): Promise<void> {
  const statement = 'select freshet.skip_feed_run($1, $2, $3::freshet.skip_reason, $4) as "isRefreshed"'
  const isRefreshed = await run.transaction(async () => {
    const [answer] = await queryRows<{ isRefreshed: boolean }>(run.sql, statement, [
      run.runId,
      run.attempt,
      reason,
      now(),
    ])
    return answer?.isRefreshed ?? false
  })
  log.info(
    { skippedReason: reason, isRefreshed },
    isRefreshed ? 'what is shown was confirmed' : 'the run had nothing to do',
  )
}
