import { z } from 'zod'
import type { JobType } from '../queue/enqueue.ts'
import type { Decision } from './decide.ts'
import { unsavedFeed, type UnsavedFeed } from './unsaved-feed.ts'

const id = z.string().regex(/^\d{1,18}$/)
const feedId = z.string().regex(/^\d{1,10}$/)

/** What is asked of a feed; `request` is the number of the click or due time that it was made for. */
export type FeedRequest = z.output<typeof request>
const request = z.object({
  feedId,
  trigger: z.enum(['SCHEDULED', 'MANUAL', 'MANUAL_PENDING']),
  request: z.number().int(),
})

/** A run of a feed. It is enqueued where requests get their numbers: by the clock, `request_feed_run` and `follow_up_feed`. */
export const ingestJob: JobType<FeedRequest> = { name: 'feed-ingest', payload: request }

/** Who asked, for the record that a worker writes. */
const by = z.object({ keyId: id.nullable(), name: z.string(), requestId: z.string() })
export type Asker = z.output<typeof by>

/** What an operator decided about a feed. A worker carries it out under the feed's lock. */
export const decisionJob: JobType<{ decision: Decision; by: Asker }> = {
  name: 'feed-decide',
  payload: z.object({
    decision: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('APPROVE'), feedId, runId: id, expected: z.number().int().nullable() }),
      z.object({ kind: z.literal('REJECT'), feedId, runId: id, reason: z.string() }),
      z.object({ kind: z.literal('ACCEPT_PRICE'), feedId, offerId: id }),
    ]),
    by,
  }),
}

/** A test of a feed, or of settings that nobody stored. It counts in nothing. */
export const testJob: JobType<{ feedId: string } | { input: UnsavedFeed }> = {
  name: 'feed-test',
  payload: z.union([z.object({ feedId }), z.object({ input: unsavedFeed })]),
}
