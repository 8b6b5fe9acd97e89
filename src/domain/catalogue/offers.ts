import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryRows } from '../../db/sql.ts'
import { inOrder } from '../read-many.ts'

/** An offer as consumers see it. Amounts are exact, as text. */
export type Offer = {
  id: bigint
  sourceId: bigint
  retailerId: bigint
  versionRunId: bigint
  title: string
  url: string
  link: string
  imageUrl: string | null
  brand: string | null
  category: string | null
  upc: string | null
  price: string
  originalPrice: string | null
  currency: string
  inStock: boolean
  firstSeenAt: Date
  /** By a run that was shown: no other is a consumer's business. */
  lastSeenAt: Date
  template: string | null
  accountId: string | null
}

type Ids = 'id' | 'sourceId' | 'retailerId' | 'versionRunId'
/** pg leaves 64-bit numbers as text. */
type Row = Omit<Offer, Ids> & Record<Ids, string>

export type OfferFilter = {
  sourceId?: bigint | undefined
  retailerId?: bigint | undefined
  brand?: string | null | undefined
  upc?: string | null | undefined
  minPrice?: string | null | undefined
  maxPrice?: string | null | undefined
  inStock?: boolean | null | undefined
}

const offers = readQuery('offers')

/** How each order goes on behind a place, and sorts. Equal prices stand by id, so that every offer has a place of its own. */
const orders = {
  ID: { behind: 'v.offer_id > $10::bigint', by: 'v.offer_id' },
  PRICE_ASC: { behind: '(v.price, v.offer_id) > ($11::numeric, $10::bigint)', by: 'v.price, v.offer_id' },
  PRICE_DESC: { behind: '(v.price, v.offer_id) < ($11::numeric, $10::bigint)', by: 'v.price desc, v.offer_id desc' },
}
export type OfferOrder = keyof typeof orders

/** Which part of the list: what lies behind an offer (and its price, where the order goes by that), and how much of it. */
export type OfferPart = { behind?: { id: bigint; price?: string } | undefined; take: number }

/**
 * A page of what consumers see at this moment, in one statement. It has no name, so that Postgres plans it with the values: a
 * filter that was not given costs nothing, and each order walks its own index.
 */
export async function readOffers(
  pool: Pool,
  now: Date,
  filter: OfferFilter,
  order: OfferOrder,
  { behind, take }: OfferPart,
): Promise<Offer[]> {
  const { behind: place, by } = orders[order]
  const text = `${offers} ${behind ? `and ${place}` : ''} order by ${by} limit $9`
  const at = behind ? (order === 'ID' ? [behind.id] : [behind.id, behind.price]) : []
  const rows = await queryRows<Row>(pool, text, [...valuesOf(now, filter), take, ...at])
  return rows.map(toOffer)
}

/** How many consumers see at this moment. */
export async function countOffers(pool: Pool, now: Date, filter: OfferFilter): Promise<number> {
  const text = `select count(*)::int as n from (${offers}) counted`
  const [row] = await queryRows<{ n: number }>(pool, text, valuesOf(now, filter))
  return row?.n ?? 0
}

/** These offers, as far as consumers see them at this moment, in the order asked for. */
export async function findOffers(pool: Pool, now: Date, ids: readonly bigint[]): Promise<(Offer | null)[]> {
  const text = `${offers} and v.offer_id = any ($9::bigint[])`
  const rows = await queryRows<Row>(pool, text, [...valuesOf(now, {}), [...new Set(ids)]])
  return inOrder(ids, rows, ({ id }) => id).map((row) => (row ? toOffer(row) : null))
}

const valuesOf = (now: Date, { sourceId, retailerId, brand, upc, minPrice, maxPrice, inStock }: OfferFilter) => [
  now,
  sourceId ?? null,
  retailerId ?? null,
  brand ?? null,
  upc ?? null,
  minPrice ?? null,
  maxPrice ?? null,
  inStock ?? null,
]

const toOffer = (row: Row): Offer => ({
  ...row,
  id: BigInt(row.id),
  sourceId: BigInt(row.sourceId),
  retailerId: BigInt(row.retailerId),
  versionRunId: BigInt(row.versionRunId),
})

/** Since when an offer of each of these sources must have been seen to be visible at this moment, in the order asked for. */
export async function readActiveSince(pool: Pool, now: Date, sourceIds: readonly bigint[]): Promise<Date[]> {
  type Since = { id: string; since: Date }
  const text = 'select s.id::text, freshet.active_since(s.id, $2) as since from unnest($1::bigint[]) s (id)'
  const rows = await queryRows<Since>(pool, text, [[...new Set(sourceIds)], now])
  return inOrder(sourceIds, rows, ({ id }) => id).map((row) => row?.since ?? now)
}
