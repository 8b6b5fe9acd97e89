import {
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLField,
  type GraphQLOutputType,
} from 'graphql'
import { afterAll, expect, test } from 'vitest'
import { errorCodes } from '../../src/domain/error-codes.ts'
import { schema } from '../../src/schema/index.ts'
import { startTestApp, type Answer } from './app.ts'
import { makeFixture, newMark, operations, type Mutation } from './operations/index.ts'
import { isRefusedFor, placesOf, putText, type Place } from './places.ts'

export const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())

let compared = 0
let fixture = await makeFixture(app.pool)

function selection(type: GraphQLOutputType, depth = 2): string {
  const named = getNamedType(type)
  if (isScalarType(named) || 'getValues' in named) return ''
  if (!isObjectType(named) || depth === 0) return '{ __typename }'
  const fields = Object.values(named.getFields()).filter(
    ({ args, type: inside }) => args.length === 0 && !isListType(isNonNullType(inside) ? inside.ofType : inside),
  )
  return `{ ${fields.map(({ name, type: inside }) => `${name} ${selection(inside, depth - 1)}`).join(' ')} }`
}

type Row = Record<string, unknown>
type Fed = { kind: 'query' | 'mutation'; field: GraphQLField<unknown, unknown>; place: Place }

/** The operation as the table has it; only a mutation says more than how to ask. */
const operationOf = ({ kind, field }: Fed): Partial<Mutation<typeof fixture>> =>
  operations[`${kind === 'query' ? 'Query' : 'Mutation'}.${field.name}`]!

/** A mutation that cannot be done twice needs objects of its own each time. What has a name needs a new name only. */
const usesUp = ({ repeated, usesUp: saysSo }: Partial<Mutation<typeof fixture>>) =>
  saysSo ?? (typeof repeated === 'string' && repeated in errorCodes && repeated !== 'ALREADY_EXISTS')

/** What the row that a mutation answers has in the place of an input field, if it is to be there as it was sent. */
function storedIn(answer: Row | undefined, { steps }: Place, storedAs: Record<string, string | null> = {}): unknown {
  const name = steps.at(-1)!
  const output = name in storedAs ? storedAs[name] : name
  if (steps.length !== 2 || !output || !answer) return undefined
  const row = 'id' in answer ? answer : (Object.values(answer).find((value) => typeof value === 'object') as Row | null)
  return row?.[output]
}

/** A fault of ours, or a question of this test that does not fit the schema. */
const notAnAnswer = new Set(['INTERNAL_SERVER_ERROR', 'GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED'])

/** What is wrong with the answer to one text in one place, or nothing. */
async function feedOne(fed: Fed, text: string): Promise<string[]> {
  const { kind, field, place } = fed
  const operation = operationOf(fed)
  const others = operation.others?.[place.steps[0]!]
  const given = others ?? operation.variables?.({ ...fixture, mark: newMark() }) ?? {}
  const variables = putText(field, given, place, text)
  const used = field.args.filter(({ name }) => name in variables)
  const declared = used.map(({ name, type }) => `$${name}: ${type.toString()}`).join(' ')
  const passed = used.map(({ name }) => `${name}: $${name}`).join(' ')
  const query = `${kind} (${declared}) { answer: ${field.name}(${passed}) ${selection(field.type)} }`
  const response = await app.post({ query, variables }, { key: app.firstKey })
  const { data, errors = [] } = (await response.json()) as Answer<{ answer: Row } | null>
  const problems = errors.flatMap((error) => {
    const { message, extensions } = error
    if (!(extensions.code in errorCodes) || notAnAnswer.has(extensions.code)) return [`${extensions.code} ${message}`]
    return isRefusedFor(place, variables, error) ? [] : [`refused for another field, ${extensions.field}: ${message}`]
  })
  if (kind === 'mutation' && errors.length === 0) {
    if (usesUp(operation)) fixture = await makeFixture(app.pool)
    const stored = storedIn(data?.answer, place, operation.storedAs)
    if (typeof stored === 'string') compared++
    if (typeof stored === 'string' && stored !== text.trim()) problems.push(`stored as ${JSON.stringify(stored)}`)
  }
  return problems.map((problem) => `${place.path} with ${JSON.stringify(text.slice(0, 30))}: ${problem}`)
}

async function feed(fed: Fed, naughty: readonly string[]): Promise<string[]> {
  const operation = operationOf(fed)
  // One after the other where they change one object; elsewhere no more at once than the pool can serve.
  const changesOne = fed.kind === 'mutation' && placesOf(fed.field).some(({ path }) => path === 'input.id')
  const atOnce = changesOne || usesUp(operation) ? 1 : 10
  const problems: string[] = []
  for (let from = 0; from < naughty.length; from += atOnce) {
    const texts = naughty.slice(from, from + atOnce)
    problems.push(...(await Promise.all(texts.map((text) => feedOne(fed, text)))).flat())
  }
  return problems
}

/** What is tried in every place, however few of the others are. */
const alwaysTried = new Set(['', 'a\u0000b', '\ud800', 'x'.repeat(100_000)])

/**
 * Tries texts in every place of the schema that takes text: each is stored as it was sent, or refused there with a code. With
 * `share` each place gets one of so many of them in turn, so that all of them are tried somewhere.
 */
export function tryEverywhere(naughty: readonly string[], share = 1): void {
  let places = 0
  for (const [kind, type] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      for (const place of placesOf(field)) {
        const turn = places++ % share
        const texts = naughty.filter((text, index) => index % share === turn || alwaysTried.has(text))
        test(`S13: ${kind} ${field.name} takes any text in ${place.path} as it is, or refuses it there with a code`, async () => {
          expect(await feed({ kind, field, place }, texts)).toEqual([])
        })
      }
    }
  }

  test('S13: much of it was stored, and nothing of it counted as a fault of the server', () => {
    expect(compared).toBeGreaterThan((5 * naughty.length) / share)
    // Of a request: a machine under load may also tell of itself, as that its clock is late.
    const faults = app.log.filter((line) => line.includes('"level":"error"') && line.includes('"requestId"'))
    expect(faults.slice(0, 3)).toEqual([])
  })
}
