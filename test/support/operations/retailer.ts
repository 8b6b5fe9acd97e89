import { encodeId } from '../../../src/schema/global-id.ts'
import { insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations, type Table } from './operation.ts'

export type RetailerFixture = { Retailer: string; slug: string }

export const tables = { Retailer: ['freshet.retailers', 'id'] } satisfies Record<string, Table>

export const make: Make<object, RetailerFixture> = async (pool, { mark }) => {
  const slug = `shop-${mark}`
  return { slug, Retailer: encodeId('Retailer', await insertRow(pool, 'retailers', { slug, name: 'Shop' })) }
}

export const operations: Operations<Mark & RetailerFixture> = {
  'Query.retailer': {
    scope: 'READ',
    document: 'query ($id: ID!) { retailer(id: $id) { id name } }',
    variables: ({ Retailer }) => ({ id: Retailer }),
  },
  'Query.retailers': { scope: 'READ', document: '{ retailers { totalCount nodes { id } edges { node { name } } } }' },
  'Mutation.createRetailer': {
    scope: 'OPERATE',
    document: 'mutation ($input: CreateRetailerInput!) { createRetailer(input: $input) { id } }',
    variables: ({ mark }) => ({ input: { name: `New ${mark}`, website: 'https://www.new.example', tier: null } }),
    recorded: ({ mark }, { id }) => ({
      action: 'CREATE_RETAILER',
      objectType: 'Retailer',
      objectId: numberOf(id),
      changes: {
        name: { to: `New ${mark}` },
        slug: { to: `new-${mark}` },
        website: { to: 'https://www.new.example/' },
        domain: { to: 'new.example' },
      },
    }),
    repeated: 'ALREADY_EXISTS',
    storedAs: { website: null, logoUrl: null },
  },
  'Mutation.updateRetailer': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateRetailerInput!) { updateRetailer(input: $input) { id } }',
    variables: ({ Retailer }) => ({ input: { id: Retailer, name: 'Shop', tier: 'gold' } }),
    recorded: ({ Retailer }) => ({
      action: 'UPDATE_RETAILER',
      objectType: 'Retailer',
      objectId: numberOf(Retailer),
      changes: { tier: { from: null, to: 'gold' } },
    }),
    repeated: 'same',
    storedAs: { website: null, logoUrl: null },
  },
  'Mutation.importRetailers': {
    scope: 'OPERATE',
    document: 'mutation ($csv: String!) { importRetailers(csv: $csv) { rows } }',
    variables: ({ mark }) => ({ csv: `name\nOne ${mark}\nTwo ${mark}` }),
    recorded: () => ({
      action: 'IMPORT_RETAILERS',
      objectType: 'Retailer',
      objectId: null,
      changes: { created: { to: 2 }, updated: { to: 0 } },
    }),
    besides: ['CREATE_RETAILER', 'CREATE_RETAILER'],
    repeated: { created: { to: 0 }, updated: { to: 0 } },
  },
}
