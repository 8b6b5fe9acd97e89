import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'

const statement = readQuery('feeds_just_enqueued')

/** Says which feeds the beat of this driver enqueued (S2 §17.3). Where pg_cron drives, no process of ours is there to say so. */
export async function tellEnqueued(sql: Sql, driver: string, log: Log): Promise<void> {
  const feeds = await queryRows<{ feedId: string; network: string | null; nextRunAt: Date }>(sql, statement, [driver])
  for (const { feedId, network, nextRunAt } of feeds)
    log.info({ event: 'FEED_ENQUEUED', feedId, network, nextRunAt, trigger: 'SCHEDULED' }, 'a feed is due')
}
