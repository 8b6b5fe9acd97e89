import { encodeId } from '../../../src/schema/global-id.ts'
import { insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations, type Table } from './operation.ts'
import type { RetailerFixture } from './retailer.ts'

export type SourceFixture = { Source: string }

export const tables = { Source: ['freshet.sources', 'id'] } satisfies Record<string, Table>

export const make: Make<RetailerFixture, SourceFixture> = async (pool, { mark, Retailer }) => {
  const columns = {
    retailer_id: numberOf(Retailer),
    name: mark,
    kind: 'DIRECT',
    url: `https://${mark}.example/`,
    adapter_id: mark,
    affiliate_account_id: mark,
    affiliate_account_name: mark,
    affiliate_tracking_template: mark,
    tos_notes: mark,
    scrape_config: { requestsPerSecond: mark },
  }
  return { Source: encodeId('Source', await insertRow(pool, 'sources', columns)) }
}

export const operations: Operations<Mark & RetailerFixture & SourceFixture> = {
  'Query.source': {
    scope: 'OPERATE',
    document: 'query ($id: ID!) { source(id: $id) { id name url } }',
    variables: ({ Source }) => ({ id: Source }),
  },
  'Query.sources': { scope: 'OPERATE', document: '{ sources { totalCount nodes { id } edges { node { name } } } }' },
  'Mutation.createSource': {
    scope: 'OPERATE',
    document: 'mutation ($input: CreateSourceInput!) { createSource(input: $input) { id } }',
    variables: ({ Retailer, mark }) => ({ input: { retailerId: Retailer, name: `New ${mark}`, kind: 'SCRAPE' } }),
    recorded: ({ Retailer, mark }, { id }) => ({
      action: 'CREATE_SOURCE',
      objectType: 'Source',
      objectId: numberOf(id),
      changes: {
        retailerId: { to: numberOf(Retailer) },
        name: { to: `New ${mark}` },
        kind: { to: 'SCRAPE' },
        visibilityStatus: { to: 'INELIGIBLE' },
        upcTrusted: { to: false },
      },
    }),
    repeated: 'ALREADY_EXISTS',
    storedAs: { url: null },
  },
  'Mutation.updateSource': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateSourceInput!) { updateSource(input: $input) { id } }',
    variables: ({ Source }) => ({ input: { id: Source, expiryHours: 24 } }),
    recorded: ({ Source }) => ({
      action: 'UPDATE_SOURCE',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: { expiryHours: { from: 48, to: 24 } },
    }),
    besides: ['EXPIRY_HOURS_CHANGED'],
    repeated: 'same',
    storedAs: { url: null },
  },
  'Mutation.reviewSource': {
    scope: 'OPERATE',
    document: 'mutation ($input: ReviewSourceInput!) { reviewSource(input: $input) { id tosReviewedAt } }',
    variables: ({ Source }) => ({ input: { id: Source, tosApprovedBy: 'a person', robotsCompliant: false } }),
    recorded: ({ Source, mark }, { tosReviewedAt }) => ({
      action: 'REVIEW_SOURCE',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: {
        tosReviewedAt: { from: null, to: tosReviewedAt },
        tosApprovedBy: { from: null, to: 'a person' },
        tosNotes: { from: mark, to: null },
        robotsCompliant: { from: true, to: false },
      },
    }),
    repeated: 'new',
    storedAs: { notes: 'tosNotes' },
  },
  'Mutation.setDisplayPrimary': {
    scope: 'ADMIN',
    document: 'mutation ($id: ID!) { setDisplayPrimary(id: $id) { id } }',
    variables: ({ Source }) => ({ id: Source }),
    recorded: ({ Source }) => ({
      action: 'SET_DISPLAY_PRIMARY',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: { displayPrimary: { from: null, to: numberOf(Source) } },
    }),
    repeated: 'same',
  },
  'Mutation.setSourceVisibility': {
    scope: 'ADMIN',
    document:
      'mutation ($id: ID!, $status: VisibilityStatus!) { setSourceVisibility(id: $id, status: $status) { id } }',
    variables: ({ Source }) => ({ id: Source, status: 'INELIGIBLE' }),
    recorded: ({ Source }) => ({
      action: 'SET_SOURCE_VISIBILITY',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: { visibilityStatus: { from: 'ELIGIBLE', to: 'INELIGIBLE' } },
    }),
    repeated: 'same',
  },
  'Mutation.importSources': {
    scope: 'ADMIN',
    document: 'mutation ($csv: String!) { importSources(csv: $csv) { rows } }',
    variables: ({ slug }) => ({ csv: `retailer,name\n${slug},Imported` }),
    recorded: () => ({
      action: 'IMPORT_SOURCES',
      objectType: 'Source',
      objectId: null,
      changes: { created: { to: 1 }, updated: { to: 0 }, displayPrimaries: { to: 1 } },
    }),
    besides: ['SET_DISPLAY_PRIMARY', 'CREATE_SOURCE'],
    repeated: { created: { to: 0 }, updated: { to: 0 }, displayPrimaries: { to: 0 } },
  },
}
