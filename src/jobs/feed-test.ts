import { randomInt } from 'node:crypto'
import { readFeedForRun } from '../domain/feeds/feed-for-run.ts'
import { testJob } from '../domain/feeds/feed-jobs.ts'
import { testFeed } from '../domain/feeds/test-feed.ts'
import { openUnsavedFeed } from '../domain/feeds/unsaved-feed.ts'
import { runLockClass } from '../domain/runs/run.ts'
import { addLogFields } from '../log.ts'
import { defineJob } from './kit.ts'
import { workRun } from './kit/run.ts'
import { feedServices } from './feed-ingest.ts'

/**
 * Tries a feed, stored or not, without touching anything: one attempt, in whatever status the feed is. That it failed is an
 * answer, and its run keeps it: nothing is left for an operator to mend or to send back.
 */
export const feedTest = defineJob({
  ...testJob,
  options: { retryDelays: [], expireInSeconds: 1_200, concurrency: 2, dismissesLetters: true },
  async work(job) {
    const { payload, services } = job
    addLogFields({ feedId: 'feedId' in payload ? payload.feedId : null })
    const feed =
      'feedId' in payload ? await readFeedForRun(services.pool, payload.feedId) : openUnsavedFeed(payload.input)
    // A lock of its own: a test excludes nobody, and nobody excludes it.
    const lock = { lockClass: runLockClass.test, lockId: randomInt(2 ** 31) }
    const sourceId = feed.sourceId ?? undefined
    return workRun(job, { lock, kind: 'FEED', trigger: 'ADMIN_TEST', sourceId }, (run) =>
      testFeed(run, feed, feedServices(job)),
    )
  },
})
