import type pg from 'pg'
import { readOffers, type Offer } from '../../../src/domain/catalogue/offers.ts'
import { readPricePages } from '../../../src/domain/catalogue/prices.ts'
import type { FeedStand } from '../feed-runs.ts'
import { at } from '../moment.ts'
import type { FeedFile, FeedSettings, Refusal } from './model.ts'
import type { Attempt, Course } from './steps.ts'

export type AttemptAt = {
  jobId: string
  file: FeedFile
  now: number
  course: Course
  isForced: boolean
} & Pick<Attempt, 'chunkSize' | 'isProbed'>

/** How runs and decisions are carried out: by the SQL functions alone, or by all that a worker does. Times are seconds. */
export type Hand = {
  aFeed: (settings: FeedSettings) => Promise<FeedStand>
  /** Makes one attempt, and answers the run's id. */
  attempt: (feed: FeedStand, given: AttemptAt) => Promise<string>
  approve: (feed: FeedStand, runId: string, expected: number | null, now: number) => Promise<Refusal | null>
  reject: (feed: FeedStand, runId: string, now: number) => Promise<Refusal | null>
  /** Whether it was refused: there is no held price. */
  accept: (feed: FeedStand, offerId: string, now: number) => Promise<'NO_HELD_PRICE' | null>
}

/** A product that is known of a feed, shown or not: what tells it from others in its files, and its row of the read side. */
export type KnownOffer = { id: string; key: string; shown: Record<string, unknown> | null }

const counters = [
  'rowsRead',
  'productsRejected',
  'duplicateKeyCount',
  'productsUpserted',
  'urlHashFallbackCount',
  'pricesWritten',
]
const runsText = `select r.id::text, r.status::text, f.skipped_reason::text as "skippedReason",
    f.active_count_before as "activeCountBefore", f.seen_success_count as "seenSuccessCount",
    f.would_expire_count as "wouldExpireCount", f.products_expired as "productsExpired",
    f.prices_compared as "pricesCompared", f.prices_moved as "pricesMoved", f.is_blocked as "expiryBlocked",
    f.block_reasons::text[] as "blockReasons", f.approved_at as "approvedAt", f.rejected_at as "rejectedAt",
    ${counters.map((name) => `case when r.status = 'SUCCEEDED' then coalesce((r.counters ->> '${name}')::int, 0) end as "${name}"`).join(', ')}
  from freshet.feed_runs f join freshet.runs r on r.id = f.run_id where f.feed_id = $1`

const knownText = `select o.id::text,
    case o.identity_type
      when 'URL_HASH' then 'URL_HASH ' || (select v.url from freshet.offer_versions v where v.offer_id = o.id limit 1)
      else 'ID ' || o.identity_value
    end as key,
    case when c.offer_id is not null then jsonb_build_object(
      'runId', c.version_run_id::text, 'title', c.title, 'url', c.url, 'price', c.price::text, 'currency', c.currency,
      'originalPrice', c.original_price::text, 'inStock', c.in_stock
    ) end as shown
  from freshet.offers o left join freshet.current_offers c on c.offer_id = o.id where o.source_id = $1`

/** What can be read of a feed, by the reads that consumers and operators have. */
export function readsOf(pool: pg.Pool, { id: feedId, sourceId, retailerId }: FeedStand) {
  const rowsOf = async <Row extends object>(sql: string, ...values: unknown[]) =>
    (await pool.query<Row>(sql, values)).rows

  return {
    known: async () => rowsOf<KnownOffer>(knownText, sourceId),
    /** The offers of the feed's retailer that consumers see, its other source's too. */
    offers: async (now: number): Promise<Offer[]> =>
      readOffers(pool, at(now), { retailerId: BigInt(retailerId) }, 'ID', { take: 1_000 }),
    /** What consumers may know of the prices of these offers. */
    prices: async (offerIds: string[]) =>
      readPricePages(
        pool,
        offerIds.map((id) => ({ offerId: BigInt(id), before: undefined, take: 1_000, includeHeld: false })),
      ),
    /** Which offers of the feed consumers will see at these moments, if nothing happens before. */
    visibleAt: async (moments: number[]) =>
      rowsOf<{ ids: string[] }>(
        `select array(select v.offer_id::text from freshet.visible_offers(m) v where v.source_id = $1) as ids
         from unnest($2::timestamptz[]) with ordinality m (m, n) order by n`,
        sourceId,
        moments.map(at),
      ),
    runs: async () => rowsOf<{ id: string } & Record<string, unknown>>(runsText, feedId),
    rebuild: async (now: number) =>
      (await rowsOf<{ n: number }>('select freshet.rebuild_current_offers($1, $2) as n', at(now), sourceId))[0]!.n,
    forgetReadSide: async () => rowsOf('delete from freshet.current_offers where source_id = $1', sourceId),
  }
}

export type Reads = ReturnType<typeof readsOf>
