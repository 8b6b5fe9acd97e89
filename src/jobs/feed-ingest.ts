import { join } from 'node:path'
import { openKeyRing } from '../domain/feeds/credentials/open-key-ring.ts'
import { admitFeedRun } from '../domain/feeds/admit-feed-run.ts'
import { ingestJob } from '../domain/feeds/feed-jobs.ts'
import { ingestFeed, type FeedServices } from '../domain/feeds/ingest-feed.ts'
import { runLockClass } from '../domain/runs/run.ts'
import { addLogFields } from '../log.ts'
import { defineJob, type JobContext } from './kit.ts'
import { workRun } from './kit/run.ts'

/** Fetches the file of a feed and takes it in: one run. Its own limits are under the six hours that an attempt may take. */
export const feedIngest = feedIngestOf()

/** The same with chunks of another size, so that a small file has as many as a large one. */
export function feedIngestOf(chunkSize?: number) {
  return defineJob({
    ...ingestJob,
    options: { retryDelays: [5, 15], expireInSeconds: 6 * 3_600, concurrency: 4, policy: 'short' },
    work(job) {
      const { payload, services } = job
      const { feedId, trigger } = payload
      addLogFields({ feedId, trigger })
      const run = {
        lock: { lockClass: runLockClass.feed, lockId: Number(feedId) },
        admit: admitFeedRun(payload, services.config.feeds.runsPerHost, job.log),
        // What a person asked for is not lost: who is at work sees at its end that more was asked for meanwhile.
        busyEvent: trigger === 'SCHEDULED' ? 'SKIPPED_LOCK_BUSY' : 'MANUAL_RUN_DEFERRED',
      } as const
      return workRun(job, run, (context) => ingestFeed(context, feedId, { ...feedServices(job), chunkSize }))
    },
  })
}

/** What the run of a feed needs of its job. */
export function feedServices({ log, stopping, isLastAttempt, services }: JobContext<unknown>): FeedServices {
  const { config, now } = services
  return {
    outside: config.outside,
    dir: join(config.dataDir, 'feeds'),
    openKeys: () => openKeyRing(config.access, config.dataDir),
    now,
    log,
    stopping,
    isLastAttempt,
  }
}
