import { hash } from 'node:crypto'
import { readFeedForRun } from '../../../src/domain/feeds/feed-for-run.ts'
import { isUnchanged, looksUnchanged } from '../../../src/domain/feeds/unchanged.ts'
import type { Product } from '../feed-products.ts'
import type { FeedRuns } from '../feed-runs.ts'
import { at } from '../moment.ts'
import type { FeedFile, Refusal } from './model.ts'
import { moneyOf } from './money.ts'
import type { Hand } from './stand.ts'

/** Runs through the SQL functions that a worker calls, with staged rows: quick, for many. */
export function sqlHand(feeds: FeedRuns): Hand {
  const hours = (seconds: number) => seconds / 3_600
  const refusal = async (decision: Promise<unknown>): Promise<string | null> => {
    try {
      await decision
      return null
    } catch (error) {
      const { code, detail } = error as { code?: string; detail?: string }
      if (code === 'FR051') return detail ?? ''
      if (code === 'FR052') return 'NO_HELD_PRICE'
      throw error
    }
  }
  return {
    aFeed: async ({ expiryHours, holdHours, heartbeatHours, blockPolicy, unchangedPolicy }) =>
      feeds.aFeed(
        {
          hold_hours: holdHours,
          price_heartbeat_hours: heartbeatHours,
          block_policy: blockPolicy,
          unchanged_policy: unchangedPolicy,
        },
        { expiry_hours: expiryHours },
      ),
    async attempt(feed, { jobId, file, now, course, chunkSize, isProbed, isForced }) {
      const skip = await skipped(feeds, feed.id, file, isForced)
      const { id } = await feeds.run(feed, file.rows.map(productOf), {
        at: hours(now),
        jobId,
        chunkSize,
        isProbed,
        rejected: file.rejected,
        content: file.content,
        mtime: hours(file.mtime),
        ...(skip && { skip }),
        ...(!skip && course.end === 'KILLED' && { dieAfter: course.chunks }),
        ...(!skip && course.end === 'FAILED' && { fail: { code: 'PARSE_FAILED', isCounted: false } }),
      })
      return id
    },
    approve: async (_feed, runId, expected, now) =>
      (await refusal(feeds.approve(runId, hours(now), expected))) as Refusal | null,
    reject: async (_feed, runId, now) => (await refusal(feeds.reject(runId, hours(now)))) as Refusal | null,
    accept: async (_feed, offerId, now) =>
      (await refusal(feeds.callOf('accept_price', offerId, at(now)))) as 'NO_HELD_PRICE' | null,
  }
}

/** What a worker makes of the file before it reads it, and behind it. */
async function skipped(feeds: FeedRuns, feedId: string, file: FeedFile, isForced: boolean) {
  const feed = { ...(await readFeedForRun(feeds.pool, feedId)), isForced }
  if (looksUnchanged(feed, { mtime: at(file.mtime), size: file.rows.length })) return 'UNCHANGED_MTIME'
  return isUnchanged(feed, hash('sha256', file.content, 'buffer')) ? 'UNCHANGED_HASH' : undefined
}

function productOf({ key, title, url, price, currency, original, inStock }: FeedFile['rows'][number]): Product {
  const [by, id = ''] = key.split(' ')
  return {
    id,
    ...(by === 'URL_HASH' && { by }),
    title,
    url,
    price: moneyOf(price),
    currency,
    inStock,
    ...(original !== null && { original: moneyOf(original) }),
  }
}
