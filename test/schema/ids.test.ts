import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { encodeId, readId } from '../../src/schema/global-id.ts'
import { startTestApp } from '../support/app.ts'
import { makeFixture, type Fixture } from '../support/operations/index.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const key = app.firstKey
const fixture = await makeFixture(app.pool)
const types = ['Retailer', 'Source', 'ApiKey', 'AuditEntry'] as const satisfies (keyof Fixture)[]
const encode = (text: string) => Buffer.from(text).toString('base64url')

test('an id says its type and row, whatever they are', () => {
  const typename = fc.stringMatching(/^[A-Za-z]{1,40}$/)
  fc.assert(
    fc.property(typename, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (name, id) => {
      expect(readId(encodeId(name, id))).toEqual({ typename: name, id: String(id) })
    }),
  )
})

test('no text that was not made as an id is read as one', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const read = readId(text)
      expect(read === undefined || encodeId(read.typename, read.id) === text).toBe(true)
    }),
  )
})

test.each(types)('node finds a %s by its id, and nothing where there is none', async (type) => {
  const query = `query ($id: ID!) { node(id: $id) { __typename id } }`
  const found = await app.ask(query, { id: fixture[type] }, { key })
  expect(found).toEqual({ data: { node: { __typename: type, id: fixture[type] } } })
  expect(await app.ask(query, { id: encodeId(type, 987_654_321) }, { key })).toEqual({ data: { node: null } })
})

const notIds = [
  ['nothing', ''],
  ['text', 'the id of a retailer'],
  ['an id with something behind it', `${fixture.Retailer}!`],
  ['an id with padding', 'UmV0YWlsZXI6MTI='],
  ['a number beyond all rows', encode('Retailer:9223372036854775808')],
  ['twenty digits', encode('Retailer:10000000000000000000')],
  ['a negative number', encode('Retailer:-1')],
  ['no number', encode('Retailer:')],
  ['no type', encode(':1')],
  ['SQL', encode("Retailer:1' or '1'='1")],
  ['a NUL character', encode('Retailer\u0000:1')],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x3a, 0x31]).toString('base64url')],
] as const

test.each(notIds)('%s is no id, and the answer names the field', async (_what, id) => {
  const queries = {
    id: 'query ($id: ID!) { retailer(id: $id) { id } }',
    'filter.retailerId': 'query ($id: ID!) { sources(filter: { retailerId: $id }) { nodes { id } } }',
    'input.retailerId': 'mutation ($id: ID!) { createSource(input: { retailerId: $id, name: "x" }) { id } }',
  }
  for (const [field, query] of Object.entries(queries)) {
    const { errors } = await app.ask(query, { id }, { key })
    expect(errors?.map(({ message, extensions }) => [message, extensions.code, extensions.field])).toEqual([
      [`${field}: "${id}" is not an id.`, 'BAD_USER_INPUT', field],
    ])
  }
  expect((await app.ask('query ($id: ID!) { node(id: $id) { id } }', { id })).errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    field: 'id',
    hint: 'Use the value of an `id` field as it is.',
  })
})

test.each([
  ['retailer', 'id', 'query ($id: ID!) { retailer(id: $id) { id } }', 'Source', 'Retailer'],
  ['source', 'id', 'query ($id: ID!) { source(id: $id) { id } }', 'Retailer', 'Source'],
  [
    'sources',
    'filter.retailerId',
    'query ($id: ID!) { sources(filter: {retailerId: $id}) { nodes { id } } }',
    'Source',
    'Retailer',
  ],
  [
    'auditLog',
    'filter.actorKeyId',
    'query ($id: ID!) { auditLog(filter: {actorKeyId: $id}) { nodes { id } } }',
    'Source',
    'ApiKey',
  ],
  [
    'updateRetailer',
    'input.id',
    'mutation ($id: ID!) { updateRetailer(input: {id: $id}) { id } }',
    'Source',
    'Retailer',
  ],
  ['updateSource', 'input.id', 'mutation ($id: ID!) { updateSource(input: {id: $id}) { id } }', 'ApiKey', 'Source'],
  [
    'reviewSource',
    'input.id',
    'mutation ($id: ID!) { reviewSource(input: {id: $id, tosApprovedBy: "x"}) { id } }',
    'ApiKey',
    'Source',
  ],
  ['setDisplayPrimary', 'id', 'mutation ($id: ID!) { setDisplayPrimary(id: $id) { id } }', 'Retailer', 'Source'],
  ['revokeApiKey', 'id', 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', 'AuditEntry', 'ApiKey'],
] as const)('%s refuses the id of another type', async (_name, field, query, given, wanted) => {
  const { data, errors } = await app.ask(query, { id: fixture[given] }, { key })
  expect(Object.values(data ?? {}).every((value) => value === null)).toBe(true)
  expect(errors?.[0]).toMatchObject({
    message: `${field}: is the id of a ${given}, not of a ${wanted}.`,
    extensions: { code: 'BAD_USER_INPUT', field },
  })
})

test.each(['Nothing', 'PageInfo', 'Query'])('node refuses an id of the type %s, which has none', async (type) => {
  const { errors } = await app.ask('query ($id: ID!) { node(id: $id) { id } }', { id: encodeId(type, 1) }, { key })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'id' })
})

test('all wrong ids of one field are reported at once', async () => {
  const query = 'query ($id: ID!) { auditLog(filter: { actorKeyId: $id, objectGlobalId: $id }) { nodes { id } } }'
  const { errors } = await app.ask(query, { id: 'x' }, { key })
  expect(errors?.[0]?.extensions.problems?.map(({ field }) => field).toSorted()).toEqual([
    'filter.actorKeyId',
    'filter.objectGlobalId',
  ])
})

test.each([
  ['updateRetailer', 'input.id', 'mutation ($id: ID!) { updateRetailer(input: {id: $id}) { id } }', 'Retailer'],
  ['updateSource', 'input.id', 'mutation ($id: ID!) { updateSource(input: {id: $id}) { id } }', 'Source'],
  [
    'reviewSource',
    'input.id',
    'mutation ($id: ID!) { reviewSource(input: {id: $id, tosApprovedBy: "x"}) { id } }',
    'Source',
  ],
  ['setDisplayPrimary', 'id', 'mutation ($id: ID!) { setDisplayPrimary(id: $id) { id } }', 'Source'],
  [
    'setSourceVisibility',
    'id',
    'mutation ($id: ID!) { setSourceVisibility(id: $id, status: ELIGIBLE) { id } }',
    'Source',
  ],
  ['revokeApiKey', 'id', 'mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', 'ApiKey'],
  [
    'createSource',
    'input.retailerId',
    'mutation ($id: ID!) { createSource(input: {retailerId: $id, name: "x"}) { id } }',
    'Retailer',
  ],
] as const)('%s of what does not exist is NOT_FOUND', async (_name, field, query, type) => {
  const { errors } = await app.ask(query, { id: encodeId(type, 987_654_321) }, { key })
  expect(errors?.map(({ extensions }) => [extensions.code, extensions.field])).toEqual([['NOT_FOUND', field]])
})
