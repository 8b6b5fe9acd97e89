import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'

const now = new Date('2026-11-18T09:30:00.000Z')
const app = await startTestApp({ now: () => now })
afterAll(() => app[Symbol.asyncDispose]())
const key = app.firstKey

const create =
  'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id name prefix scopes createdAt createdBy expiresAt lastUsedAt revokedAt } } }'
type Created = { createApiKey: { key: string; apiKey: { id: string; prefix: string } } }

test('a new key is shown once, with what is kept of it', async () => {
  const input = { name: 'reader', scopes: ['READ', 'READ'], expiresAt: '2026-11-18T10:30:00.001+01:00' }
  const { data } = await app.ask<Created>(create, { input }, { key })
  const { key: made, apiKey } = data!.createApiKey
  expect(made).toMatch(/^frs_[A-Za-z0-9_-]{43}$/)
  expect(apiKey).toEqual({
    id: expect.any(String) as string,
    name: 'reader',
    prefix: made.slice(0, 12),
    scopes: ['READ'],
    createdAt: expect.any(String) as string,
    createdBy: `first admin (${key.slice(0, 12)}…)`,
    expiresAt: '2026-11-18T09:30:00.001Z',
    lastUsedAt: null,
    revokedAt: null,
  })
  const { data: listed } = await app.ask('{ apiKeys { nodes { id name prefix } } }', {}, { key })
  expect(JSON.stringify(listed)).toContain(apiKey.id)
  expect(JSON.stringify(listed)).not.toContain(made)
  expect(app.log.join('\n')).not.toContain(made)
})

test.each([
  ['this very moment', '2026-11-18T09:30:00.000Z', 'input.expiresAt: lies in the past.'],
  ['the past', '2026-11-18T09:29:59.999Z', 'input.expiresAt: lies in the past.'],
])('refuses a key that ends at %s', async (_what, expiresAt, message) => {
  const { errors } = await app.ask(create, { input: { name: 'late', scopes: ['READ'], expiresAt } }, { key })
  expect(errors?.[0]).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT', field: 'input.expiresAt' } })
})

test.each(['tomorrow', '2027-01-01', '2027-01-01T00:00', '2027-02-30T00:00:00Z', '2027-13-01T00:00:00Z', 5, true])(
  'refuses %j as a moment, as a variable and in the document',
  async (expiresAt) => {
    const variable = await app.ask(create, { input: { name: 'odd', scopes: ['READ'], expiresAt } }, { key })
    expect(variable.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.expiresAt' })
    expect(variable.errors?.[0]?.message).toContain('It must be a moment in ISO 8601 with its offset')
    const literal = `mutation { createApiKey(input: { name: "odd", scopes: [READ], expiresAt: ${JSON.stringify(expiresAt)} }) { key } }`
    const { errors } = await app.ask(literal, {}, { key })
    expect(errors?.[0]).toMatchObject({
      message: 'It must be a moment in ISO 8601 with its offset, as in 2026-11-18T09:30:00Z.',
      locations: [{ line: 1, column: expect.any(Number) as number }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    })
  },
)

test('a key may end in the last millisecond of the year 9999, and is listed with it', async () => {
  const expiresAt = '9999-12-31T23:59:59.999Z'
  const { data } = await app.ask<Created>(create, { input: { name: 'long', scopes: ['READ'], expiresAt } }, { key })
  expect(data?.createApiKey.apiKey).toMatchObject({ expiresAt })
})

test.each(['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.999-00:01', '0001-01-01T00:00:00+14:00'])(
  'refuses a key that ends at %s, outside the years 0001 to 9999 in UTC, and keys can be listed still',
  async (expiresAt) => {
    const { errors } = await app.ask(create, { input: { name: 'far', scopes: ['READ'], expiresAt } }, { key })
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining('It must lie in the years 0001 to 9999, in UTC.') as string,
      extensions: { code: 'BAD_USER_INPUT', field: 'input.expiresAt' },
    })
    expect((await app.ask('{ apiKeys { nodes { expiresAt } } }', {}, { key })).errors).toBeUndefined()
  },
)

test('a revoked key is out with the next request', async () => {
  const { data } = await app.ask<Created>(create, { input: { name: 'gone', scopes: ['ADMIN'] } }, { key })
  const { key: made, apiKey } = data!.createApiKey
  expect((await app.ask('{ apiKeys { totalCount } }', {}, { key: made })).errors).toBeUndefined()
  const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }'
  const answer = await app.ask(revoke, { id: apiKey.id }, { key: made })
  expect(answer.data).toEqual({ revokeApiKey: { revokedAt: now.toISOString() } })
  const { errors } = await app.ask('{ apiKeys { totalCount } }', {}, { key: made })
  expect(errors?.[0]?.extensions.code).toBe('INVALID_KEY')
  const again = await app.ask(revoke, { id: apiKey.id }, { key })
  expect(again.data).toEqual({ revokeApiKey: { revokedAt: now.toISOString() } })
})

test('lists all keys, newest first, revoked ones included', async () => {
  const { data } = await app.ask<{ apiKeys: { nodes: { name: string; revokedAt: string | null }[] } }>(
    '{ apiKeys { nodes { name revokedAt } } }',
    {},
    { key },
  )
  const nodes = data!.apiKeys.nodes
  expect(nodes.map(({ name }) => name)).toEqual(['gone', 'long', 'reader', 'first admin'])
  expect(nodes.map(({ revokedAt }) => revokedAt !== null)).toEqual([true, false, false, false])
})
