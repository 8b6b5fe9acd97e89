import type {
  AffiliateNetwork as Network,
  SourceKind as Kind,
  VisibilityStatus as Status,
} from '../db/generated/client/client.ts'
import { readOfferCounts, type OfferCounts } from '../domain/sources/impact.ts'
import { readVisibility, type Visibility } from '../domain/sources/visibility.ts'
import { inBatches } from './batch.ts'
import { builder } from './builder.ts'
import { Retailer } from './retailer.ts'

export const SourceKind = builder.enumType('SourceKind', {
  description: 'How facts reach us from a source.',
  values: {
    DIRECT: { description: 'From the retailer itself.' },
    AFFILIATE_FEED: { description: 'As a file of an affiliate network.' },
    SCRAPE: { description: 'From known pages of a shop.' },
    MARKET: { description: 'From the searches of a listing site.' },
    OTHER: { description: 'Any other way.' },
  } satisfies Record<Kind, { description: string }>,
})
export const VisibilityStatus = builder.enumType('VisibilityStatus', {
  description: 'Whether an operator lets consumers see what a source brings.',
  values: {
    ELIGIBLE: { description: 'They may.' },
    INELIGIBLE: { description: 'They may not.' },
  } satisfies Record<Status, { description: string }>,
})
export const AffiliateNetwork = builder.enumType('AffiliateNetwork', {
  description: 'The affiliate network that a source belongs to.',
  values: {
    IMPACT: { description: 'impact.com.' },
    AWIN: { description: 'Awin.' },
    CJ: { description: 'CJ, formerly Commission Junction.' },
    AVANTLINK: { description: 'AvantLink.' },
    SHAREASALE: { description: 'ShareASale.' },
    RAKUTEN: { description: 'Rakuten Advertising.' },
  } satisfies Record<Network, { description: string }>,
})
const VisibilityReason = builder.enumType('VisibilityReason', {
  description: 'Why consumers see what a source brings, or do not.',
  values: {
    IS_PRIMARY: { description: 'Visible: it is eligible and its retailer’s display primary.' },
    DIRECT_WITHOUT_PRIMARY: {
      description: 'Visible: it is eligible and direct, and its retailer has no display primary.',
    },
    INELIGIBLE: { description: 'Hidden: it is not eligible. `setSourceVisibility` changes that.' },
    ANOTHER_SOURCE_IS_PRIMARY: {
      description: 'Hidden: another source is the display primary. `setDisplayPrimary` changes that.',
    },
    NOT_PRIMARY: {
      description:
        'Hidden: it is not the display primary, and only direct sources are shown without. `setDisplayPrimary` changes that.',
    },
  } satisfies Record<Visibility['reason'], { description: string }>,
})
const SourceVisibility = builder.objectRef<Visibility>('SourceVisibility').implement({
  description: 'Whether consumers see what a source brings.',
  fields: (t) => ({
    visible: t.exposeBoolean('visible', { description: 'Whether they do.' }),
    reason: t.expose('reason', { type: VisibilityReason, description: 'Why.' }),
  }),
})

const SourceOfferCounts = builder.objectRef<OfferCounts>('SourceOfferCounts').implement({
  description: 'How many offers a source has for consumers at this moment.',
  fields: (t) => ({
    visible: t.exposeInt('visible', { description: 'How many they see.' }),
    active: t.exposeInt('active', { description: 'How many they would see if it were visible.' }),
  }),
})

const loadOfferCounts = inBatches((ids: readonly bigint[], { pool, now }) => readOfferCounts(pool, ids, now()))
const loadVisibility = inBatches((ids: readonly bigint[], { pool }) => readVisibility(pool, ids))

/** One stream of facts about a retailer. Its settings and its review are for operators. */
export const Source = builder.prismaNode('Source', {
  description: 'One stream of facts about a retailer.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    retailer: t.relation('retailer', { description: 'Whom the facts are about.' }),
    name: t.exposeString('name', { description: 'Unique among the sources of its retailer.' }),
    kind: t.expose('kind', { type: SourceKind, description: 'How facts reach us.' }),
    url: t.exposeString('url', { nullable: true, description: 'Where it is found.' }),
    isDisplayPrimary: t.exposeBoolean('isDisplayPrimary', {
      description: 'Whether it is the one source that its retailer shows.',
    }),
    visibilityStatus: t.expose('visibilityStatus', {
      type: VisibilityStatus,
      description: 'Whether an operator lets consumers see it.',
    }),
    visibility: t.field({
      type: SourceVisibility,
      description: 'Whether consumers see what it brings, and why.',
      resolve: ({ id }, _args, context) => loadVisibility(id, context),
    }),
    offerCounts: t.field({
      type: SourceOfferCounts,
      description: 'How many offers it has for consumers.',
      resolve: ({ id }, _args, context) => loadOfferCounts(id, context),
    }),
    expiryHours: t.exposeInt('expiryHours', {
      description: 'How long what was last seen stays visible: 1 to 168 hours.',
    }),
    upcTrusted: t.exposeBoolean('upcTrusted', {
      description: 'Whether its product codes may decide what an offer is.',
    }),
    affiliateNetwork: t.expose('affiliateNetwork', {
      type: AffiliateNetwork,
      nullable: true,
      description: 'Its network, for an affiliate feed.',
    }),
    affiliateAccountId: t.exposeString('affiliateAccountId', {
      nullable: true,
      description: 'Our account or the advertiser at the network.',
    }),
    affiliateAccountName: t.exposeString('affiliateAccountName', {
      nullable: true,
      description: 'The name of that account, for people.',
    }),
    affiliateTrackingTemplate: t.exposeString('affiliateTrackingTemplate', {
      nullable: true,
      description:
        'The link that leads clicks through the network. `{url}` stands for the page, `{accountId}` for `affiliateAccountId`, `{clickId}` for the click; each is filled in encoded.',
    }),
    adapterId: t.exposeString('adapterId', { nullable: true, description: 'Which adapter reads its pages.' }),
    scrapeConfig: t.expose('scrapeConfig', {
      type: 'JSON',
      description: 'How its pages are fetched; what is not there has its default.',
    }),
    tosReviewedAt: t.expose('tosReviewedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a person read its terms; null: never, and nothing is fetched.',
    }),
    tosApprovedBy: t.exposeString('tosApprovedBy', { nullable: true, description: 'Who approved.' }),
    tosNotes: t.exposeString('tosNotes', { nullable: true, description: 'What that person noted.' }),
    robotsCompliant: t.exposeBoolean('robotsCompliant', {
      description: 'Whether its robots.txt allows what we do, by that review.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

builder.prismaObjectField(Retailer, 'sources', (t) =>
  t.relation('sources', {
    description: 'Its sources by name, at most 100.',
    authScopes: { operate: true },
    complexity: { field: 1, multiplier: 10 },
    query: { orderBy: [{ name: 'asc' }, { id: 'asc' }], take: 100 },
  }),
)
