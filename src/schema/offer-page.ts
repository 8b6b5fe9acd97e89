import { z } from 'zod'
import {
  countOffers,
  findOffers,
  readActiveSince,
  readOffers,
  type Offer,
  type OfferFilter,
  type OfferOrder,
} from '../domain/catalogue/offers.ts'
import {
  countPrices,
  readPricePages,
  type ObservedPrice,
  type PriceCount,
  type PricePart,
} from '../domain/catalogue/prices.ts'
import { inBatches } from './batch.ts'
import type { Context } from './builder.ts'
import { readPage, type PageArgs } from './connection.ts'
import { idPart } from './cursor.ts'

/** An offer, if consumers see it; looked up together. */
export const loadOffer = inBatches<bigint, Offer | null>((ids, { pool, now }) => findOffers(pool, now(), ids))

/** When an offer expires, if it is not seen again and no block stops the clock meanwhile. */
export async function activeUntil({ sourceId, lastSeenAt }: Offer, context: Context): Promise<Date> {
  const { now, since } = await loadSince(sourceId, context)
  return new Date(lastSeenAt.getTime() + now.getTime() - since.getTime())
}

const loadSince = inBatches(async (ids: readonly bigint[], { pool, now: clock }) => {
  const now = clock()
  return (await readActiveSince(pool, now, ids)).map((since) => ({ now, since }))
})

/** A price as Postgres writes one; a feed may give it as many decimals as it likes. */
const pricePart = z
  .string()
  .max(100)
  .regex(/^\d{1,12}(\.\d+)?$/)

const byId = { name: 'offers.ID', form: z.tuple([idPart]), key: ({ id }: Offer): [bigint] => [id] }
const byPrice = (order: OfferOrder) => ({
  name: `offers.${order}`,
  form: z.tuple([pricePart, idPart]),
  key: ({ price, id }: Offer): [string, bigint] => [price, id],
})

/** A page of what consumers see at the moment of the request. */
export function readOfferPage(page: PageArgs, filter: OfferFilter, orderBy: OfferOrder, { pool, now }: Context) {
  const at = now()
  const count = () => countOffers(pool, at, filter)
  if (orderBy === 'ID')
    return readPage(page, byId, {
      rows: ({ behind, take }) => readOffers(pool, at, filter, orderBy, { behind: behind && { id: behind[0] }, take }),
      count,
    })
  return readPage(page, byPrice(orderBy), {
    rows: ({ behind, take }) =>
      readOffers(pool, at, filter, orderBy, { behind: behind && { price: behind[0], id: behind[1] }, take }),
    count,
  })
}

const loadPrices = inBatches((parts: readonly PricePart[], { pool }) => readPricePages(pool, parts))
const loadPriceCount = inBatches((asked: readonly PriceCount[], { pool }) => countPrices(pool, asked))
const byNewestPrice = {
  name: 'offer.priceHistory',
  form: z.tuple([idPart]),
  key: ({ id }: ObservedPrice): [bigint] => [id],
}

/** A page of an offer's prices, newest first. The pages of many offers are read together. */
export const readPriceHistory = (
  offerId: bigint,
  { includeHeld, ...page }: PageArgs & { includeHeld: boolean },
  context: Context,
) =>
  readPage(page, byNewestPrice, {
    rows: ({ behind, take }) => loadPrices({ offerId, before: behind?.[0], take, includeHeld }, context),
    count: () => loadPriceCount({ offerId, includeHeld }, context),
  })
