import { afterAll, expect, test } from 'vitest'
import { errorCodes } from '../../src/domain/error-codes.ts'
import type { Answer } from '../support/app.ts'

// The environment in which libraries are most talkative. They read it when they are loaded, so they are loaded after it.
process.env.NODE_ENV = 'development'
const { startTestApp } = await import('../support/app.ts')
const { createTrial, secret } = await import('./trial-schema.ts')

const trial = createTrial()
const app = await startTestApp({ env: { FRESHET_ROLE: 'api' }, schema: trial.schema })
afterAll(() => app[Symbol.asyncDispose]())
const real = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => real[Symbol.asyncDispose]())

type Line = { level: string; msg: string; requestId?: string; err?: { message: string; stack: string }; field?: string }
const linesOf = (log: string[], requestId: string | null) =>
  log.map((line) => JSON.parse(line) as Line).filter((line) => line.requestId === requestId)
const faults = (lines: Line[]) => lines.filter(({ level }) => level === 'error')

async function send(query: string, headers: Record<string, string> = {}) {
  const response = await app.post({ query }, { headers })
  const text = await response.text()
  const requestId = response.headers.get('x-request-id')
  return { status: response.status, text, requestId, lines: linesOf(app.log, requestId) }
}

const masked = (requestId: string | null) => ({
  message: 'Something went wrong on our side.',
  extensions: {
    code: 'INTERNAL_SERVER_ERROR',
    hint: 'Try again; if it stays, give the operator the requestId.',
    requestId,
  },
})

const hows = ['error', 'text', 'promise', 'returned', 'extended', 'graphql', 'graphqlCode', 'pothos', 'sql', 'prisma']
const broken: [string, string][] = [
  ...hows.map((how): [string, string] => [`a resolver that fails by ${how}`, `fail(how: "${how}")`]),
  ...hows.map((how): [string, string] => [`a required field that fails by ${how}`, `failStrictly(how: "${how}")`]),
  ['null where there must be something', 'nothing'],
  ['a text instead of a list', 'noList'],
  ['a text instead of a number', 'noNumber'],
  ['an unknown value of an enum', 'noShape'],
]

for (const [name, field] of broken) {
  test(`${name} is masked, and logged once under the id that the client sees`, async () => {
    const { status, text, requestId, lines } = await send(`{ ${field} }`)
    const { data, errors } = JSON.parse(text) as Answer
    expect(status).toBe(200)
    expect(data === null || Object.values(data).every((value) => value === null)).toBe(true)
    expect(errors).toEqual([
      { ...masked(requestId), path: [field.replace(/\(.*/, '')], locations: [{ line: 1, column: 3 }] },
    ])
    expect(text).not.toMatch(new RegExp(`${secret}|stack|select|\\.ts`))
    expect(faults(lines)).toEqual([
      expect.objectContaining({
        msg: 'a request failed',
        field: field.replace(/\(.*/, ''),
        code: 'INTERNAL_SERVER_ERROR',
      }),
    ])
    expect(faults(lines)[0]?.err?.stack ?? '').toMatch(/\n +at /)
  })
}

test('errors that come together are masked one by one', async () => {
  const { text, lines } = await send('{ fail(how: "aggregate") }')
  expect((JSON.parse(text) as Answer).errors?.map(({ message }) => message)).toEqual(
    Array(2).fill('Something went wrong on our side.'),
  )
  expect(text).not.toContain(secret)
  expect(faults(lines)).toHaveLength(2)
})

test('one failure that reaches many fields is logged once, for each request that meets it', async () => {
  for (const _request of [1, 2]) {
    const { text, lines } = await send('{ items { a: fail(how: "shared") b: fail(how: "shared") } }')
    expect((JSON.parse(text) as Answer).errors).toHaveLength(2)
    expect(faults(lines)).toHaveLength(1)
  }
})

test('every line that a request logs carries its id, and no line repeats what another said', async () => {
  const { lines } = await send('{ fail(how: "error") }', { 'x-request-id': 'mine' })
  expect(lines.map(({ level, msg, requestId, err }) => [level, msg, requestId, err?.message])).toEqual([
    ['error', 'a request failed', 'mine', secret],
    ['info', 'answered', 'mine', undefined],
  ])
})

test('a failure of the caller is told with code, field and hint, and is no news for the log', async () => {
  const { text, lines } = await send('{ fail(how: "domain") }')
  expect((JSON.parse(text) as Answer).errors).toEqual([
    {
      message: 'The retailer is closed.',
      path: ['fail'],
      locations: [{ line: 1, column: 3 }],
      extensions: { code: 'CONFLICT', field: 'input.id', hint: 'Open it.' },
    },
  ])
  expect(faults(lines)).toEqual([])
})

test('a failure before any resolver is masked too, with the status of a server at fault', async () => {
  await app.pool.query('alter table freshet.api_keys rename to api_keys_away')
  const response = await app.post({ query: '{ hello }' }, { key: `frs_${'k'.repeat(43)}` })
  await app.pool.query('alter table freshet.api_keys_away rename to api_keys')
  const requestId = response.headers.get('x-request-id')
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ errors: [masked(requestId)] })
  expect(faults(linesOf(app.log, requestId))).toHaveLength(1)
})

/** What a subscription says, event by event. */
async function listen(query: string): Promise<{ results: Answer[]; requestId: string | null }> {
  const response = await app.post({ query }, { headers: { accept: 'text/event-stream' } })
  const results = [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(
    ([, data = '']) => JSON.parse(data) as Answer,
  )
  return { results, requestId: response.headers.get('x-request-id') }
}

test('a subscription that cannot begin is masked', async () => {
  for (const how of ['error', 'promise', 'returned', 'graphql', 'sql']) {
    const { results, requestId } = await listen(`subscription { failing(how: "${how}") }`)
    expect(results.flatMap(({ errors }) => errors)).toEqual([expect.objectContaining(masked(requestId))])
    expect(JSON.stringify(results)).not.toContain(secret)
    expect(faults(linesOf(app.log, requestId))).toHaveLength(1)
  }
})

test('an event that fails is masked, and the id is that of the request', async () => {
  const listening = listen('subscription { failingLater(how: "error") }')
  await expect.poll(() => trial.subscribers.size).toBe(1)
  trial.push('event')
  trial.breakOff(new Error(secret))
  const { results, requestId } = await listening
  expect(results.map(({ errors }) => errors)).toEqual([
    [expect.objectContaining(masked(requestId))],
    [expect.objectContaining(masked(requestId))],
  ])
  expect(JSON.stringify(results)).not.toContain(secret)
  expect(faults(linesOf(app.log, requestId))).toHaveLength(2)
})

test('a document that is no GraphQL, and one that does not fit the schema, are told apart', async () => {
  expect((await real.ask('{ retailers(')).errors).toEqual([
    {
      message: 'Syntax Error: Expected Name, found <EOF>.',
      locations: [{ line: 1, column: 13 }],
      extensions: { code: 'GRAPHQL_PARSE_FAILED', hint: 'Correct the document at the place named.' },
    },
  ])
  expect((await real.ask('{ nonsense }')).errors).toEqual([
    {
      message: 'Cannot query field "nonsense" on type "Query".',
      locations: [{ line: 1, column: 3 }],
      extensions: {
        code: 'GRAPHQL_VALIDATION_FAILED',
        hint: 'Compare the document with the schema in GraphiQL or `schema.graphql`.',
      },
    },
  ])
})

test('all that is wrong with variables is told at once, each with its field', async () => {
  const mutation =
    'mutation ($input: CreateRetailerInput!, $id: Boolean!) { createRetailer(input: $input) { id @include(if: $id) slug } }'
  const response = await real.post({ query: mutation, variables: { input: { slug: 5, website: {}, nope: 1 } } })
  expect(response.status).toBe(400)
  const { errors } = (await response.json()) as Answer
  expect(errors).toHaveLength(1)
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.name' })
  expect(errors?.[0]?.extensions.problems).toEqual([
    { field: 'input.name', message: 'Field "name" of required type "String!" was not provided.' },
    { field: 'input.slug', message: 'String cannot represent a non string value: 5' },
    { field: 'input.website', message: 'String cannot represent a non string value: {}' },
    { field: 'input.nope', message: expect.stringMatching(/^Field "nope" is not defined by type/) },
    { field: 'id', message: 'is required, as Boolean!.' },
  ])
})

test('one variable of the wrong type names itself', async () => {
  const query = 'query ($first: Int) { retailers(first: $first) { totalCount } }'
  const { errors } = await real.ask(query, { first: 'many' })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'first' })
})

test('null in a variable whose default kept it from being asked for is the caller’s mistake', async () => {
  const { errors } = await real.ask('query ($id: ID = "x") { retailer(id: $id) { id } }', { id: null })
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
})

test('all problems of one input are reported at once', async () => {
  const { errors } = await real.ask(
    'mutation { createRetailer(input: { name: " ", slug: "No Slug", website: "nope" }) { id } }',
    {},
    { key: real.firstKey },
  )
  expect(errors).toHaveLength(1)
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  expect(errors?.[0]?.extensions.problems?.map(({ field }) => field)).toEqual([
    'input.name',
    'input.slug',
    'input.website',
  ])
  expect(errors?.[0]?.extensions.field).toBe('input.name')
})

test('every code that was sent, here too, is in the registry', async () => {
  const metrics = await (await fetch(`${app.url}/metrics`)).text()
  const codes = [...metrics.matchAll(/^freshet_graphql_errors_total\{code="(\w+)"\}/gm)].map(([, code = '']) => code)
  expect(codes.toSorted()).toEqual(['CONFLICT', 'INTERNAL_SERVER_ERROR'])
  for (const code of codes) expect(errorCodes).toHaveProperty(code)
})
