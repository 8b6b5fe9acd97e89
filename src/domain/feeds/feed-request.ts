import type { FeedStatus } from '../../db/generated/client/enums.ts'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'

/** How far a request for a run of a feed has come. */
export type RequestState = {
  /** The run that covers it. */
  runId: bigint | undefined
  /** A run that began before it and is at work: one follow-up comes after it. */
  runBefore: bigint | undefined
  isQueued: boolean
  /** Of the feed; nothing if that is gone. */
  status: FeedStatus | undefined
}

type Row = { status: FeedStatus; runId: string | null; runBefore: string | null; isQueued: boolean }

const statement = readQuery('feed_request')

/** Reads how far a request has come, by the number that `runFeed` gave it. */
export async function readFeedRequest(pool: Pool, feedId: bigint, request: number): Promise<RequestState> {
  const [row] = await queryRows<Row>(pool, statement, [feedId, request])
  const id = (text: string | null | undefined) => (text ? BigInt(text) : undefined)
  const { isQueued = false, status } = row ?? {}
  return { runId: id(row?.runId), runBefore: id(row?.runBefore), isQueued, status }
}
