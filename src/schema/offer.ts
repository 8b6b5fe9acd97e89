import type { OfferOrder } from '../domain/catalogue/offers.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { rowId } from './global-id.ts'
import { loadOffer, readOfferPage } from './offer-page.ts'
import { Offer } from './offer-type.ts'
import { Retailer } from './retailer.ts'
import { Source } from './source-type.ts'

const OfferConnection = builder.connectionObject(
  { type: Offer, name: 'OfferConnection', description: 'A page of offers.' },
  { description: 'An offer and its place in the list.' },
)

const OfferOrderBy = builder.enumType('OfferOrderBy', {
  description: 'In which order offers are listed.',
  values: {
    ID: { description: 'Those seen first, first.' },
    PRICE_ASC: { description: 'The cheapest first, by the number alone: filter by a source to stay in one currency.' },
    PRICE_DESC: { description: 'The dearest first, likewise.' },
  } satisfies Record<OfferOrder, { description: string }>,
})
const OfferFilter = builder.inputType('OfferFilter', {
  description: 'Which offers to list.',
  fields: (t) => ({
    sourceId: t.globalID({ for: Source, description: 'Only those of this source.' }),
    retailerId: t.globalID({ for: Retailer, description: 'Only those of this retailer.' }),
    brand: t.string({ description: 'Exactly this brand, upper or lower case.' }),
    upc: t.string({ description: 'Exactly this product code, with its leading zeros.' }),
    minPrice: t.field({ type: 'Decimal', description: 'Only from this price on.' }),
    maxPrice: t.field({ type: 'Decimal', description: 'Only up to this price.' }),
    inStock: t.boolean({ description: 'Only those that are to be had, or only those that are not.' }),
  }),
})

builder.queryFields((t) => ({
  offers: t.field({
    type: OfferConnection,
    description: 'What consumers see at this moment, a page at a time.',
    authScopes: { read: true },
    complexity: pageComplexity,
    args: {
      ...pageArgs,
      filter: t.arg({ type: OfferFilter, description: 'Which ones; all if not given.' }),
      orderBy: t.arg({ type: OfferOrderBy, defaultValue: 'ID', description: 'In which order.' }),
    },
    resolve: (_root, { filter, orderBy, ...page }, context) => {
      const { sourceId, retailerId, ...rest } = filter ?? {}
      const wanted = { ...rest, sourceId: rowId(sourceId), retailerId: rowId(retailerId) }
      return readOfferPage(page, wanted, orderBy ?? 'ID', context)
    },
  }),
  offer: t.field({
    type: Offer,
    nullable: true,
    description: 'One offer; null if consumers do not see it, or there is none with this id.',
    authScopes: { read: true },
    args: { id: t.arg.globalID({ required: true, for: Offer, description: 'Its id.' }) },
    resolve: (_root, { id }, context) => loadOffer(rowId(id), context),
  }),
}))
