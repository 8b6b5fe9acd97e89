import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'
import { allInOrder } from '../read-many.ts'
import { rhythmOf, type Rhythm } from './settings/feed-schedule.ts'

/** How a feed stands by the clock: what lies beside its row. */
export type FeedTimes = Rhythm & { nextRunAt: Date | null; offersExpireAt: Date | null }

type Row = {
  id: string
  cron: string | null
  timeZone: string
  periodSeconds: number | null
  nextRunAt: Date | null
  offersExpireAt: Date | null
  lastRunId: string | null
}

const statement = readQuery('feed_times')

/** The times of these feeds and their last runs, tests aside, in one statement and in the order asked for. */
export async function readFeedTimes(
  pool: Pool,
  ids: readonly bigint[],
): Promise<((FeedTimes & { lastRunId: bigint | null }) | Error)[]> {
  const rows = await queryRows<Row>(pool, statement, [ids])
  return allInOrder('feed', ids, rows, ({ id }) => id).map((row) => {
    if (row instanceof Error) return row
    const { nextRunAt, offersExpireAt, lastRunId } = row
    return { ...rhythmOf(row), nextRunAt, offersExpireAt, lastRunId: lastRunId === null ? null : BigInt(lastRunId) }
  })
}
