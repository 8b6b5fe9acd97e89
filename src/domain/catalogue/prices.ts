import type { PriceReason } from '../../db/generated/client/enums.ts'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'

/** A price of an offer, as it was observed. */
export type ObservedPrice = {
  id: bigint
  offerId: bigint
  runId: bigint | null
  at: Date
  line: number | null
  amount: string
  currency: string
  reason: PriceReason
  isHeld: boolean
  promo: unknown
}

/** Which part of an offer's prices: those before one, and how many of them; held ones only for operators. */
export type PricePart = { offerId: bigint; before: bigint | undefined; take: number; includeHeld: boolean }

type Ids = 'id' | 'offerId' | 'runId'
type Row = Omit<ObservedPrice, Ids> & { id: string; offerId: string; runId: string | null }

const pages = readQuery('offer_price_pages')

/** A page for each part, newest first; parts that differ in their offer alone are read in one statement. */
export async function readPricePages(pool: Pool, parts: readonly PricePart[]): Promise<ObservedPrice[][]> {
  const found = new Map<PricePart, ObservedPrice[]>()
  const kindOf = ({ before, take, includeHeld }: PricePart) => `${before ?? ''} ${take} ${includeHeld}`
  for (const alike of Map.groupBy(parts, kindOf).values()) {
    const byOffer = Map.groupBy(await readAlike(pool, alike, alike[0]!), ({ offerId }) => offerId)
    for (const part of alike) found.set(part, byOffer.get(part.offerId) ?? [])
  }
  return parts.map((part) => found.get(part) ?? [])
}

async function readAlike(pool: Pool, parts: readonly PricePart[], { before, take, includeHeld }: PricePart) {
  const offerIds = [...new Set(parts.map(({ offerId }) => offerId))]
  const rows = await queryRows<Row>(pool, pages, [offerIds, before ?? null, take, includeHeld])
  return rows.map((row): ObservedPrice => ({
    ...row,
    id: BigInt(row.id),
    offerId: BigInt(row.offerId),
    runId: row.runId === null ? null : BigInt(row.runId),
  }))
}

/** How many prices each of these offers has, in the order asked for. */
export async function countPrices(
  pool: Pool,
  asked: readonly { offerId: bigint; includeHeld: boolean }[],
): Promise<number[]> {
  const parts = asked.map((one) => ({ ...one, before: undefined, take: mostPrices }))
  return (await readPricePages(pool, parts)).map(({ length }) => length)
}

/** Further back a count does not look. */
const mostPrices = 100_000
