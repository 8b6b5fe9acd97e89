import { encodeId } from '../../../src/schema/global-id.ts'
import { aFeed, anOffer } from '../offers.ts'
import { aRetailer, aSource } from '../rows.ts'
import type { Make, Mark, Operations, Table } from './operation.ts'
import { numberOf } from './operation.ts'

/** An offer that consumers see, of a retailer of its own, with a price that is held back. */
export type OfferFixture = { Offer: string }

export const tables = {
  Offer: ["(select xmin, data #>> '{decision,offerId}' as id from pgboss.job where name = 'feed-decide')", 'id'],
} satisfies Record<string, Table>

export const make: Make<object, OfferFixture> = async (pool, { mark }) => {
  const retailerId = await aRetailer(pool)
  const primary = { kind: 'AFFILIATE_FEED', is_display_primary: true }
  const sourceId = await aSource(pool, retailerId, primary)
  await aFeed(pool, sourceId)
  const id = await anOffer(pool, sourceId, { title: mark, heldPrice: '1299.00' })
  return { Offer: encodeId('Offer', id) }
}

export const operations: Operations<Mark & OfferFixture> = {
  'Query.offer': {
    scope: 'READ',
    document: 'query ($id: ID!) { offer(id: $id) { id title price } }',
    variables: ({ Offer }) => ({ id: Offer }),
  },
  'Query.offers': { scope: 'READ', document: '{ offers { totalCount nodes { id } edges { node { title } } } }' },
  'Mutation.acceptPrice': {
    scope: 'OPERATE',
    document: 'mutation ($offerId: ID!) { acceptPrice(offerId: $offerId, waitSeconds: 0) { isDone job { id } } }',
    variables: ({ Offer }) => ({ offerId: Offer, waitSeconds: 0 }),
    recorded: ({ Offer }, answer) => ({
      action: 'ACCEPT_PRICE',
      objectType: 'Offer',
      objectId: numberOf(Offer),
      changes: { job: { to: (answer as unknown as { job: { id: string } }).job.id } },
    }),
    repeated: 'new',
  },
}
