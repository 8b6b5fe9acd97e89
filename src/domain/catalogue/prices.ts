import type { PriceReason } from '../../db/generated/client/enums.ts'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'
import { readPages } from '../read-many.ts'

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

/** A page for each part, newest first. */
export const readPricePages = (pool: Pool, parts: readonly PricePart[]): Promise<ObservedPrice[][]> =>
  readPages(parts, 'offerId', async (offerIds, { before, take, includeHeld }) => {
    const rows = await queryRows<Row>(pool, pages, [offerIds, before ?? null, take, includeHeld])
    return rows.map((row) => ({
      ...row,
      id: BigInt(row.id),
      offerId: BigInt(row.offerId),
      runId: row.runId === null ? null : BigInt(row.runId),
    }))
  })

/** Whose prices are counted. */
export type PriceCount = Pick<PricePart, 'offerId' | 'includeHeld'>

/** How many prices each of these offers has, in the order asked for: of the very pages, without an end. */
export async function countPrices(pool: Pool, asked: readonly PriceCount[]): Promise<number[]> {
  type Count = { offerId: bigint; n: number }
  const text = `select "offerId", count(*)::int as n from (${pages}) counted group by "offerId"`
  const counts = await readPages<'offerId', PriceCount, Count>(asked, 'offerId', async (offerIds, { includeHeld }) => {
    const rows = await queryRows<{ offerId: string; n: number }>(pool, text, [offerIds, null, null, includeHeld])
    return rows.map(({ offerId, n }) => ({ offerId: BigInt(offerId), n }))
  })
  return counts.map(([count]) => count?.n ?? 0)
}
