import { expect } from 'vitest'
import type { Offer as ShownOffer } from '../../../src/domain/catalogue/offers.ts'
import { at } from '../moment.ts'
import type { FeedModel, Offer, Run } from './model.ts'
import { moneyOf } from './money.ts'
import type { KnownOffer, Reads } from './stand.ts'

export type Played = {
  model: FeedModel
  reads: Reads
  sourceId: string
  /** Postgres' number of each run. */
  runIds: Map<Run, string>
  /** Which source of the retailer consumers see. */
  primary: 'FEED' | 'OTHER' | null
  isEligible: boolean
}

/**
 * Compares all that Postgres shows with what the model says: now, and to both sides of the next moment when something expires.
 * Then asks for a rebuild, which finds nothing to put right. Answers what consumers see, as it was read.
 */
export async function compare(played: Played, now: number, next?: number) {
  const { model, reads } = played
  const known = await reads.known()
  expect(known.map(({ key }) => key).toSorted(), 'known products').toEqual([...model.offers.keys()].toSorted())
  compareReadSide(played, known)
  const keys = new Map(known.map(({ id, key }) => [id, key]))
  const offers = await reads.offers(now)
  compareOffers(played, keys, offers, now)
  if (next !== undefined) await compareFuture(played, keys, [next, next + 1])
  const prices = await comparePrices(played, known)
  await compareRuns(played)
  expect(await reads.rebuild(now), 'rows that a rebuild puts right').toBe(0)
  return { offers, prices }
}

/** The offers that consumers see of the feed: all that are active, while its source is seen (RULINGS 22). */
const visible = ({ model, primary, isEligible }: Played, moment: number) =>
  primary === 'FEED' && isEligible ? model.active(moment) : []

function compareOffers(played: Played, keys: Map<string, string>, offers: ShownOffer[], now: number) {
  const { sourceId, runIds, primary } = played
  const { own = [], other = [] } = Object.groupBy(offers, (offer) =>
    String(offer.sourceId) === sourceId ? 'own' : 'other',
  )
  const seen = own.map((offer) => ({ key: keys.get(String(offer.id))!, ...fieldsOf(offer) }))
  const expected = visible(played, now).map(([key, offer]) => ({ key, ...said(offer, runIds), ...times(offer) }))
  expect(seen.toSorted(byKey), 'visible offers').toEqual(expected.toSorted(byKey))
  // It is DIRECT, so it is seen where the retailer has no primary.
  expect(other, 'offers of the other source').toHaveLength(primary === 'FEED' ? 0 : 1)
}

async function compareFuture(played: Played, keys: Map<string, string>, moments: number[]) {
  const seen = (await played.reads.visibleAt(moments)).map(({ ids }) => ids.map((id) => keys.get(id)!).toSorted())
  const expected = moments.map((moment) =>
    visible(played, moment)
      .map(([key]) => key)
      .toSorted(),
  )
  expect(seen, `visible at the seconds ${moments.join()}`).toEqual(expected)
}

/** The read side itself, rows that expired included. */
function compareReadSide({ model, runIds }: Played, known: KnownOffer[]) {
  const seen = known.map(({ key, shown }) => [key, shown])
  const expected = [...model.offers].map(([key, offer]) => [key, offer.row ? said(offer, runIds) : null])
  expect(Object.fromEntries(seen), 'current_offers').toEqual(Object.fromEntries(expected))
}

const byKey = (one: { key: string }, other: { key: string }) => (one.key < other.key ? -1 : 1)

const fieldsOf = ({
  title,
  url,
  price,
  originalPrice,
  currency,
  inStock,
  versionRunId,
  firstSeenAt,
  lastSeenAt,
}: ShownOffer) => ({
  title,
  url,
  price,
  originalPrice,
  currency,
  inStock,
  runId: String(versionRunId),
  firstSeenAt,
  lastSeenAt,
})

const said = ({ row, rowOf, price }: Offer, runIds: Played['runIds']) => ({
  title: row!.title,
  url: row!.url,
  price: moneyOf(price!.price),
  originalPrice: row!.original === null ? null : moneyOf(row!.original),
  currency: price!.currency,
  inStock: row!.inStock,
  runId: runIds.get(rowOf!)!,
})

const times = ({ knownSince, shownAt }: Offer) => ({ firstSeenAt: at(knownSince), lastSeenAt: at(shownAt) })

async function comparePrices({ model, reads, runIds }: Played, known: KnownOffer[]) {
  const pages = await reads.prices(known.map(({ id }) => id))
  const seen = known.map(({ key }, index) => [
    key,
    pages[index]!.map(({ runId, at: moment, amount, currency, reason }) => ({
      runId: runId?.toString(),
      at: moment,
      amount,
      currency,
      reason,
    })),
  ])
  const expected = known.map(({ key }) => [
    key,
    model.priceHistory(key).map(({ run, at: seconds, price, currency, reason }) => ({
      runId: run && runIds.get(run),
      at: at(seconds),
      amount: moneyOf(price),
      currency,
      reason,
    })),
  ])
  expect(Object.fromEntries(seen), 'public prices').toEqual(Object.fromEntries(expected))
  return Object.fromEntries(known.map(({ id }, index) => [id, pages[index]!]))
}

/** Counters and flags of all runs: later ones must leave them alone, too. */
async function compareRuns({ model, reads, runIds }: Played) {
  const seen = await reads.runs()
  const expected = model.runs.map((run) => [runIds.get(run)!, toldOf(run)])
  expect(Object.fromEntries(seen.map(({ id, ...row }) => [id, row])), 'runs').toEqual(Object.fromEntries(expected))
}

function toldOf(run: Run) {
  const { status, skipped, judged, reasons, counts, approvedAt, rejectedAt, expired } = run
  const hasEnded = status === 'SUCCEEDED'
  return {
    status,
    skippedReason: skipped ?? null,
    activeCountBefore: judged?.activeBefore ?? null,
    seenSuccessCount: judged?.seen ?? null,
    wouldExpireCount: judged?.wouldExpire ?? null,
    productsExpired: expired ?? null,
    pricesCompared: judged?.compared ?? null,
    pricesMoved: judged?.moved ?? null,
    expiryBlocked: reasons.length > 0,
    blockReasons: reasons,
    approvedAt: approvedAt === undefined ? null : at(approvedAt),
    rejectedAt: rejectedAt === undefined ? null : at(rejectedAt),
    // Where a run was killed says how far it had counted.
    rowsRead: hasEnded ? counts.rowsRead : null,
    productsRejected: hasEnded ? counts.rejected : null,
    duplicateKeyCount: hasEnded ? counts.twice : null,
    productsUpserted: hasEnded ? counts.products : null,
    urlHashFallbackCount: hasEnded ? counts.byAddress : null,
    pricesWritten: hasEnded ? counts.prices : null,
  }
}
