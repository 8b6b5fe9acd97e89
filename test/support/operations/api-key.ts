import { digestKey, makeKey } from '../../../src/domain/access/key.ts'
import { encodeId } from '../../../src/schema/global-id.ts'
import { insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations, type Table } from './operation.ts'

export type ApiKeyFixture = { ApiKey: string }

export const tables = { ApiKey: ['freshet.api_keys', 'id'] } satisfies Record<string, Table>

export const make: Make<object, ApiKeyFixture> = async (pool, { mark }) => {
  const columns = { name: mark, scopes: ['READ'], created_by: mark, ...digestKey(makeKey()) }
  return { ApiKey: encodeId('ApiKey', await insertRow(pool, 'api_keys', columns)) }
}

export const operations: Operations<Mark & ApiKeyFixture> = {
  'Query.apiKeys': { scope: 'ADMIN', document: '{ apiKeys { totalCount nodes { id name } } }' },
  'Mutation.createApiKey': {
    scope: 'ADMIN',
    document: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id prefix } } }',
    variables: ({ mark }) => ({ input: { name: mark, scopes: ['READ', 'READ'] } }),
    recorded: ({ mark }, { apiKey }) => {
      const { id, prefix } = apiKey as unknown as { id: string; prefix: string }
      return {
        action: 'CREATE_API_KEY',
        objectType: 'ApiKey',
        objectId: numberOf(id),
        changes: { name: { to: mark }, prefix: { to: prefix }, scopes: { to: ['READ'] } },
      }
    },
    repeated: 'new',
  },
  'Mutation.revokeApiKey': {
    scope: 'ADMIN',
    document: 'mutation ($id: ID!) { revokeApiKey(id: $id) { id revokedAt } }',
    variables: ({ ApiKey }) => ({ id: ApiKey }),
    recorded: ({ ApiKey }, { revokedAt }) => ({
      action: 'REVOKE_API_KEY',
      objectType: 'ApiKey',
      objectId: numberOf(ApiKey),
      changes: { revokedAt: { from: null, to: revokedAt } },
    }),
    repeated: 'same',
  },
}
