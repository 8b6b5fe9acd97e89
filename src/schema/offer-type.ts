import type { PriceReason as Reason } from '../db/generated/client/client.ts'
import type { Offer as VisibleOffer } from '../domain/catalogue/offers.ts'
import type { ObservedPrice } from '../domain/catalogue/prices.ts'
import { allInOrder } from '../domain/read-many.ts'
import { trackingUrl } from '../domain/sources/tracking-url.ts'
import { inBatches } from './batch.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { activeUntil, loadOffer, readPriceHistory } from './offer-page.ts'
import { Retailer } from './retailer.ts'
import { loadRun } from './load-run.ts'
import { Run } from './run-type.ts'
import { Source } from './source-type.ts'

const PriceReason = builder.enumType('PriceReason', {
  description: 'Why a price was written down.',
  values: {
    NEW: { description: 'It was the first.' },
    CHANGED: { description: 'It differed from the one before.' },
    HEARTBEAT: { description: 'It was still the same after some time.' },
    ACCEPTED: { description: 'It was held back as implausible, and an operator took it for true.' },
  } satisfies Record<Reason, { description: string }>,
})

const Price = builder.objectRef<ObservedPrice>('Price').implement({
  description: 'A price of an offer, as it was observed. Prices are never changed.',
  authScopes: { read: true },
  fields: (t) => ({
    amount: t.expose('amount', { type: 'Decimal', description: 'How much.' }),
    currency: t.exposeString('currency', { description: 'Of which currency, ISO 4217.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was observed.' }),
    reason: t.expose('reason', { type: PriceReason, description: 'Why it was written down.' }),
    promo: t.expose('promo', {
      type: 'JSON',
      nullable: true,
      description:
        'Under which promotion: an object with `promotion`, `couponCode` and `couponText`, as far as the feed names them.',
    }),
    isHeld: t.exposeBoolean('isHeld', { description: 'Whether it is held back as implausible: no consumer saw it.' }),
    line: t.exposeInt('line', {
      nullable: true,
      authScopes: { operate: true },
      description: 'The line of the file that it stood in.',
    }),
    run: t.field({
      type: Run,
      nullable: true,
      authScopes: { operate: true },
      description: 'The run that observed it; null: an operator accepted it.',
      resolve: ({ runId }, _args, context) => (runId === null ? null : loadRun(runId, context)),
    }),
  }),
})
const PriceConnection = builder.connectionObject(
  { type: Price, name: 'PriceConnection', description: 'A page of the prices of an offer.' },
  { description: 'A price and its place in the history.' },
)

const loadRetailer = inBatches(async (ids: readonly bigint[], { db }) => {
  const rows = await db.retailer.findMany({ where: { id: { in: [...new Set(ids)] } } })
  return allInOrder('retailer', ids, rows, ({ id }) => id)
})
const loadSource = inBatches(async (ids: readonly bigint[], { db }) => {
  const rows = await db.source.findMany({ where: { id: { in: [...new Set(ids)] } } })
  return allInOrder('source', ids, rows, ({ id }) => id)
})

const ref = builder.objectRef<VisibleOffer>('Offer')

/** An offer as consumers see it: one that they do not see is not there, by its id neither. */
export const Offer = builder.node(ref, {
  description: 'What a retailer sells at which price, as it was seen lately.',
  authScopes: { read: true },
  id: { description: 'The global id.', resolve: ({ id }) => id },
  isTypeOf: () => true,
  loadOne: (id, context) => loadOffer(BigInt(id), context),
  fields: (t) => ({
    title: t.exposeString('title', { description: 'What it is called.' }),
    url: t.exposeString('url', {
      description: 'The page of the shop, without the marks of clicks. Clicks go to `trackingUrl`.',
    }),
    trackingUrl: t.string({
      nullable: true,
      description:
        'The link that leads a click through the network; null: none can be made, and the click pays nobody.',
      resolve: (offer) => trackingUrl(offer),
    }),
    imageUrl: t.exposeString('imageUrl', { nullable: true, description: 'A picture.' }),
    brand: t.exposeString('brand', { nullable: true, description: 'The brand or maker.' }),
    category: t.exposeString('category', { nullable: true, description: 'The category, as the shop has it.' }),
    upc: t.exposeString('upc', { nullable: true, description: 'The GTIN, UPC, EAN or ISBN, with its leading zeros.' }),
    price: t.expose('price', { type: 'Decimal', description: 'What it costs.' }),
    originalPrice: t.expose('originalPrice', {
      type: 'Decimal',
      nullable: true,
      description: 'What it cost before it was reduced.',
    }),
    currency: t.exposeString('currency', { description: 'The currency of both, ISO 4217.' }),
    inStock: t.exposeBoolean('inStock', { description: 'Whether it is to be had.' }),
    firstSeenAt: t.expose('firstSeenAt', { type: 'DateTime', description: 'When it was first seen.' }),
    lastSeenAt: t.expose('lastSeenAt', { type: 'DateTime', description: 'When it was last seen.' }),
    activeUntil: t.field({
      type: 'DateTime',
      description: 'When it disappears if it is not seen again; a block that needs a decision may move that back.',
      resolve: (offer, _args, context) => activeUntil(offer, context),
    }),
    retailer: t.field({
      type: Retailer,
      description: 'Who sells it.',
      resolve: ({ retailerId }, _args, context) => loadRetailer(retailerId, context),
    }),
    source: t.field({
      type: Source,
      authScopes: { operate: true },
      description: 'Where we have it from.',
      resolve: ({ sourceId }, _args, context) => loadSource(sourceId, context),
    }),
    seenIn: t.field({
      type: Run,
      authScopes: { operate: true },
      description: 'The run that said what it says here: the beginning of its trace.',
      resolve: ({ versionRunId }, _args, context) => loadRun(versionRunId, context),
    }),
    priceHistory: t.field({
      type: PriceConnection,
      description: 'Its prices, newest first.',
      authScopes: (_offer, { includeHeld }) => (includeHeld ? { operate: true } : { read: true }),
      complexity: pageComplexity,
      args: {
        ...pageArgs,
        includeHeld: t.arg.boolean({
          defaultValue: false,
          description: 'Also those that are held back as implausible; needs the scope OPERATE.',
        }),
      },
      resolve: ({ id }, { includeHeld, ...page }, context) =>
        readPriceHistory(id, { ...page, includeHeld: includeHeld ?? false }, context),
    }),
  }),
})
