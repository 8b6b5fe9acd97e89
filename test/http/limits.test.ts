import { request } from 'node:http'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type Answer } from '../support/app.ts'
import { watchStatements } from '../support/statements.ts'

const { statements } = watchStatements()
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())
const strict = await startTestApp({
  env: {
    FRESHET_ROLE: 'api',
    FRESHET_MAX_DEPTH: '3',
    FRESHET_MAX_ALIASES: '1',
    FRESHET_MAX_TOKENS: '100',
    FRESHET_MAX_COST: '50',
    FRESHET_MAX_BODY_BYTES: '1000',
    FRESHET_INTROSPECTION: 'false',
  },
})
afterAll(() => strict[Symbol.asyncDispose]())

const key = await app.keyWith('OPERATE')
const repeat = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => each(index)).join(' ')
const nested = (levels: number, inner: string) =>
  `${'{ sources { retailer '.repeat(levels)}{ ${inner} }${' } }'.repeat(levels)}`
const codes = ({ errors }: Answer<unknown>) => errors?.map(({ extensions }) => extensions.code)

/** Sends a request with a good key; nothing of it may reach the database, not even the key. */
async function refused(body: unknown): Promise<{ status: number; answer: Answer; ms: number }> {
  const before = statements.length
  const started = performance.now()
  const response = await app.post(body, { key })
  const answer = (await response.json()) as Answer
  const ms = performance.now() - started
  expect(statements.slice(before)).toEqual([])
  return { status: response.status, answer, ms }
}

beforeAll(async () => {
  for (let index = 0; index < 20; index++) await app.ask('{ retailers { nodes { id } } }', {}, { key })
})

test('a query within the limits runs, and its statements are seen', async () => {
  statements.length = 0
  const answer = await app.ask('{ retailers(first: 5) { totalCount } }', {}, { key })
  expect(answer).toEqual({ data: { retailers: { totalCount: 0 } } })
  expect(statements[0]).toMatch(/from freshet\.api_keys\s+where prefix/)
  expect(statements.length).toBeGreaterThanOrEqual(2)
})

const attacks: [name: string, body: unknown, code: string][] = [
  ['10,000 aliases', { query: `{ ${repeat(10_000, (index) => `a${index}: __typename`)} }` }, 'GRAPHQL_PARSE_FAILED'],
  ['280 times the same list', { query: `{ ${repeat(280, () => 'retailers{nodes{id}}')} }` }, 'QUERY_TOO_COMPLEX'],
  [
    '20 times a list that repeats its field 40 times',
    { query: `{ ${repeat(20, () => `retailers{${repeat(40, () => 'totalCount')}}`)} }` },
    'QUERY_TOO_COMPLEX',
  ],
  [
    '150 fragments with the same list',
    {
      query: `{ ${repeat(150, (index) => `...F${index}`)} } ${repeat(150, (index) => `fragment F${index} on Query{__typename}`)}`,
    },
    'QUERY_TOO_COMPLEX',
  ],
  ['300 aliases', { query: `{ ${repeat(300, (index) => `a${index}: __typename`)} }` }, 'QUERY_TOO_COMPLEX'],
  ['a depth of 2,000', { query: `{ retailers { nodes ${nested(1000, 'id')} } }` }, 'GRAPHQL_PARSE_FAILED'],
  ['a depth of 200', { query: `{ retailers { nodes ${nested(100, 'id')} } }` }, 'QUERY_TOO_COMPLEX'],
  ['100,000 tokens', { query: `{ ${repeat(100_000, () => 'id')} }` }, 'GRAPHQL_PARSE_FAILED'],
  ['first: 1e9', { query: '{ retailers(first: 1000000000) { nodes { id } } }' }, 'QUERY_TOO_COMPLEX'],
  ['a batch of 1,000', Array.from({ length: 1000 }, () => ({ query: '{ __typename }' })), 'BAD_REQUEST'],
  [
    'a fragment that doubles itself 40 times',
    {
      query: `{ retailers { nodes { ...F0 } } } fragment F40 on Retailer { id } ${repeat(
        40,
        (index) => `fragment F${index} on Retailer { sources { retailer { ...F${index + 1} } } ...F${index + 1} }`,
      )}`,
    },
    'QUERY_TOO_COMPLEX',
  ],
  [
    'fragments that multiply aliases',
    {
      query: `{ ...F0 } fragment F9 on Query { __typename } ${repeat(
        9,
        (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ...F${index + 1} }`,
      )}`,
    },
    'QUERY_TOO_COMPLEX',
  ],
  [
    'questions about the schema that multiply each other',
    {
      query: `{ __schema { types { ${repeat(10, (i) => `a${i}: fields { type { ${repeat(2, (j) => `b${j}: fields { name args { name } }`)} } }`)} } } }`,
    },
    'QUERY_TOO_COMPLEX',
  ],
  ['900 directives', { query: `{ __typename ${repeat(900, () => '@a')} }` }, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a list literal nested 900 times',
    { query: `{ retailers(filter: ${'['.repeat(900)}${']'.repeat(900)}) { totalCount } }` },
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'an object literal nested 450 times',
    { query: `{ retailers(filter: ${'{q:'.repeat(450)}1${'}'.repeat(450)}) { totalCount } }` },
    'GRAPHQL_VALIDATION_FAILED',
  ],
]

for (const [name, body, code] of attacks) {
  test(`S11: ${name}: refused within 50 ms and without a statement`, async () => {
    const results = []
    for (let index = 0; index < 5; index++) results.push(await refused(body))
    for (const { answer } of results) expect(new Set(codes(answer))).toEqual(new Set([code]))
    const times = results.map(({ ms }) => ms)
    expect(Math.min(...times)).toBeLessThan(50)
  })
}

test('a field may stand 141 times in a document, 142 times are refused before anything is compared', async () => {
  const times = (count: number) => app.ask(`{ ${repeat(count, () => '__typename')} }`)
  expect(await times(141)).toEqual({ data: { __typename: 'Query' } })
  expect((await times(142)).errors?.[0]).toMatchObject({
    message: 'The query repeats itself too often, "__typename" most of all (142).',
    extensions: { code: 'QUERY_TOO_COMPLEX' },
  })
})

test('variables that are nested half a million times, or half a megabyte long, are harmless', async () => {
  const deep = `{"query":"{ __typename }","variables":{"a":${'['.repeat(450_000)}${']'.repeat(450_000)}}}`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(app.endpoint, { method: 'POST', headers, body: deep })
  expect(await answer.json()).toEqual({ data: { __typename: 'Query' } })
  const query = 'query ($q: String) { retailers(filter: { q: $q }) { totalCount } }'
  expect(codes(await app.ask(query, { q: 'x'.repeat(500_000) }))?.[0] ?? 'none').not.toBe('INTERNAL_SERVER_ERROR')
})

test('half a million blank lines before a hundred mistakes take no seconds', async () => {
  const started = performance.now()
  const answer = await app.ask(`${'\n'.repeat(450_000)}{ ${repeat(300, (index) => `a${index}`)} }`)
  expect(new Set(codes(answer))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']))
  expect(performance.now() - started).toBeLessThan(500)
})

test('a mistake with a name of half a megabyte is told in a few words', async () => {
  const { errors } = await app.ask(`{ ${'a'.repeat(500_000)} }`)
  expect(errors?.[0]?.message).toMatch(/^Cannot query field "a{900}/)
  expect(errors?.[0]?.message.length).toBe(1001)
})

test('first counts towards the cost, given as a literal, as a variable and as its default', async () => {
  const cost = (answer: Answer) => answer.errors?.[0]?.message.match(/cost (\d+)/)?.[1]
  const inner = '{ nodes { sources { name } } }' // 1 + 1 for nodes and sources, 10 names
  expect(cost((await refused({ query: `{ retailers(first: 1000) ${inner} }` })).answer)).toBe('12001')
  const query = `query ($n: Int = 2000) { retailers(first: $n) ${inner} }`
  expect(cost((await refused({ query })).answer)).toBe('24001')
  expect(cost((await refused({ query, variables: { n: 3000 } })).answer)).toBe('36001')
  expect((await app.post({ query, variables: { n: 5 } })).status).toBe(200)
})

test('a wrong id somewhere in a query does not switch the limits off', async () => {
  const query = '{ a: sources(filter: { retailerId: "?" }) { totalCount } retailers(first: 5000) { nodes { id } } }'
  expect(codes((await refused({ query })).answer)).toEqual(['QUERY_TOO_COMPLEX'])
})

test('only the operation that runs is measured, also when it is the second', async () => {
  const query = `query Small { __typename } query Large { retailers(first: 9000) { nodes { id } } } query Many { ${repeat(40, (index) => `a${index}: __typename`)} }`
  expect(await app.ask(query, {}).then(codes)).toEqual(['BAD_REQUEST'])
  const run = async (operationName: string) => (await app.post({ query, operationName })).json() as Promise<Answer>
  expect(await run('Small')).toEqual({ data: { __typename: 'Query' } })
  expect(codes(await run('Large'))).toEqual(['QUERY_TOO_COMPLEX'])
  expect((await run('Many')).errors?.[0]?.message).toBe('The query uses 40 aliases; 30 are allowed.')
  expect(codes(await run('None'))).toEqual(['BAD_REQUEST'])
})

test('the schema can be asked for whole, as GraphiQL does', async () => {
  const query = getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, oneOf: true })
  const { data } = await app.ask<{ __schema: { types: unknown[] } }>(query)
  expect(data?.__schema.types.length).toBeGreaterThan(20)
})

test('every limit can be set from the environment', async () => {
  const message = async (query: string) => (await strict.ask(query)).errors?.[0]?.message
  expect(await message('{ retailers { nodes { id } } }')).toBeUndefined()
  expect(await message('{ retailers { nodes { sources { id } } } }')).toBe('The query nests 4 levels; 3 are allowed.')
  expect(await message('{ a: __typename b: __typename }')).toBe('The query uses 2 aliases; 1 are allowed.')
  expect(await message(`{ ${repeat(101, () => 'id')} }`)).toMatch(/more that 100 tokens/)
  expect(await message('{ retailers(first: 49) { totalCount } }')).toBeUndefined()
  expect(await message('{ retailers(first: 50) { totalCount } }')).toMatch(/^The query would cost 51 points; 50 are/)
  expect((await strict.post({ query: `{ __typename } #${'x'.repeat(1000)}` })).status).toBe(413)
})

test('introspection can be switched off, and then names are not given away by mistakes either', async () => {
  for (const question of ['{ __schema { description } }', '{ __type(name: "Query") { name } }'])
    expect((await strict.ask(question)).errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^GraphQL introspection has been disabled/),
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    })
  expect((await strict.ask('{ retailer { id } retailerz { id } }')).errors?.map(({ message }) => message)).toEqual([
    'Field "retailer" argument "id" of type "ID!" is required, but it was not provided.',
    'Cannot query field "retailerz" on type "Query".',
  ])
  expect((await app.ask('{ retailerz { id } }')).errors?.[0]?.message).toMatch(/Did you mean/)
  const query = 'query ($order: RetailerOrderBy) { retailers(orderBy: $order) { totalCount } }'
  const problem = (answer: Answer) => answer.errors?.[0]?.extensions.problems?.[0]?.message
  expect(problem(await app.ask(query, { order: 'NAMES' }))).toMatch(/Did you mean/)
  expect(problem(await strict.ask(query, { order: 'NAMES' }))).toBe(
    'Value "NAMES" does not exist in "RetailerOrderBy" enum.',
  )
})

test('a body of a megabyte is read, one byte more is not', async () => {
  const send = (bytes: number) => {
    const start = '{"query":"{ __typename }","variables":{"a":"'
    return fetch(app.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `${start}${'x'.repeat(bytes - start.length - 3)}"}}`,
    })
  }
  expect((await send(1_000_000)).status).toBe(200)
  const refusal = await send(1_000_001)
  expect(refusal.status).toBe(413)
  expect(refusal.headers.get('content-type')).toBe('application/problem+json')
  expect(await refusal.json()).toEqual({
    type: 'about:blank',
    title: 'Payload Too Large',
    status: 413,
    detail: 'The body may have at most 1000000 bytes; this one has 1000001.',
    requestId: refusal.headers.get('x-request-id'),
  })
})

test('a body whose length is not known beforehand is not read', async () => {
  const sent = request(app.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  })
  const answered = new Promise<number>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.statusCode ?? 0))
    sent.on('error', reject)
  })
  sent.write('{"query":') // and never the rest
  expect(await answered).toBe(411)
  sent.destroy()
})
