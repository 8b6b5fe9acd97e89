import {
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql'
import { afterAll, expect, test } from 'vitest'
import { errorCodes } from '../../src/domain/error-codes.ts'
import { schema } from '../../src/schema/index.ts'
import { startTestApp, type Answer } from './app.ts'

export const app = await startTestApp({ env: { FRESHET_ROLE: 'api' } })
afterAll(() => app[Symbol.asyncDispose]())

let counter = 0
let compared = 0
const created = await app.ask<Record<string, { id: string }>>(
  `mutation { createRetailer(input: { name: "Base", slug: "base" }) { id } }`,
  {},
  { key: app.firstKey },
)
const retailer = created.data?.createRetailer?.id ?? ''
const source = (
  await app.ask<Record<string, { id: string }>>(
    'mutation ($r: ID!) { createSource(input: { name: "Base", retailerId: $r, kind: SCRAPE }) { id } }',
    { r: retailer },
    { key: app.firstKey },
  )
).data?.createSource?.id
const apiKey = (
  await app.ask<Record<string, { apiKey: { id: string } }>>(
    'mutation { createApiKey(input: { name: "spare", scopes: [READ] }) { apiKey { id } } }',
    {},
    { key: app.firstKey },
  )
).data?.createApiKey?.apiKey.id

type Input = GraphQLArgument | GraphQLInputField
const inner = (type: GraphQLInputType) => (isNonNullType(type) ? type.ofType : type)
const isText = (type: GraphQLInputType) => ['String', 'ID'].includes(getNamedType(type).name)

/** A value that passes, for an input that must be there. */
function sample({ name, type }: Input, root: string): unknown {
  const plain = inner(type)
  if (isListType(plain)) return [sample({ name, type: plain.ofType } as Input, root)]
  if (isInputObjectType(plain))
    return Object.fromEntries(
      Object.values(plain.getFields())
        .filter((field) => isNonNullType(field.type))
        .map((field) => [field.name, sample(field, root)]),
    )
  if (plain.name === 'ID')
    return /retailerid/i.test(name) || /retailer/i.test(root) ? retailer : /key/i.test(root) ? apiKey : source
  if (plain.name === 'String') return name === 'csv' ? `name\nRow ${++counter}\n` : `Sample ${++counter}`
  if (plain.name === 'KeyScope') return 'READ'
  if (plain.name === 'VisibilityStatus') return 'ELIGIBLE'
  return plain.name === 'Boolean' ? true : 1
}

/** Every place inside the arguments of a field that takes text, as a function that puts one there. */
function places(input: Input, root: string): { path: string; put: (text: string) => unknown }[] {
  const plain = inner(input.type)
  if (isListType(plain))
    return places({ ...input, type: plain.ofType }, root).map(({ path, put }) => ({
      path,
      put: (text) => [put(text)],
    }))
  if (isInputObjectType(plain))
    return Object.values(plain.getFields()).flatMap((field) =>
      places(field, root).map(({ path, put }) => ({
        path: `${input.name}.${path}`,
        put: (text) => ({ ...(sample(input, root) as object), [field.name]: put(text) }),
      })),
    )
  return isText(plain) || !['Int', 'Float', 'Boolean'].includes(plain.name)
    ? [{ path: input.name, put: (text) => text }]
    : []
}

function selection(type: GraphQLOutputType, depth = 2): string {
  const named = getNamedType(type)
  if (isScalarType(named) || 'getValues' in named) return ''
  if (!isObjectType(named) || depth === 0) return '{ __typename }'
  const fields = Object.values(named.getFields()).filter(
    ({ args, type: inside }) => args.length === 0 && !isListType(inner(inside as never)),
  )
  return `{ ${fields.map(({ name, type: inside }) => `${name} ${selection(inside, depth - 1)}`).join(' ')} }`
}

/** Fields that are stored as they were sent, without the blanks around them. */
const kept: Record<string, string> = {
  name: 'name',
  tier: 'tier',
  tosApprovedBy: 'tosApprovedBy',
  notes: 'tosNotes',
  adapterId: 'adapterId',
  affiliateAccountId: 'affiliateAccountId',
  affiliateAccountName: 'affiliateAccountName',
}

type Place = ReturnType<typeof places>[number]
type Fed = { operation: string; field: GraphQLField<unknown, unknown>; argument: GraphQLArgument }

/** What is wrong with the answer to one text in one place, or nothing. */
async function feedOne({ operation, field, argument }: Fed, { path, put }: Place, text: string): Promise<string[]> {
  const others = field.args.filter((other) => other !== argument && isNonNullType(other.type))
  const variables: Record<string, unknown> = { [argument.name]: put(text) }
  for (const other of others) variables[other.name] = sample(other, field.name)
  const used = field.args.filter(({ name }) => name in variables)
  const declared = used.map(({ name, type }) => `$${name}: ${type.toString()}`).join(' ')
  const passed = used.map(({ name }) => `${name}: $${name}`).join(' ')
  const query = `${operation} (${declared}) { answer: ${field.name}(${passed}) ${selection(field.type)} }`
  const response = await app.post({ query, variables }, { key: app.firstKey })
  const { data, errors = [] } = (await response.json()) as Answer<{ answer: Record<string, unknown> } | null>
  const problems = errors
    .filter(({ extensions: { code } }) => !(code in errorCodes) || notAnAnswer.has(code))
    .map(({ message, extensions: { code } }) => `${code} ${message}`)
  const output = kept[path.replace(/^input\./, '')]
  const answer = (data?.answer?.apiKey ?? data?.answer) as Record<string, unknown> | undefined
  const stored = output === undefined ? undefined : answer?.[output]
  if (operation === 'mutation' && typeof stored === 'string') compared++
  if (operation === 'mutation' && typeof stored === 'string' && stored !== text.trim())
    problems.push(`stored as ${JSON.stringify(stored)}`)
  return problems.map((problem) => `${field.name}(${path}) with ${JSON.stringify(text.slice(0, 30))}: ${problem}`)
}

/** A fault of ours, or a question of this test that does not fit the schema. */
const notAnAnswer = new Set(['INTERNAL_SERVER_ERROR', 'GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED'])

async function feed(fed: Fed, naughty: readonly string[]): Promise<string[]> {
  const problems: string[] = []
  const plain = getNamedType(fed.argument.type)
  const changesOne = fed.operation === 'mutation' && isInputObjectType(plain) && 'id' in plain.getFields()
  for (const place of places(fed.argument, fed.field.name)) {
    // One after the other where they change one object; elsewhere no more at once than the pool can serve.
    const atOnce = changesOne ? 1 : 10
    for (let from = 0; from < naughty.length; from += atOnce) {
      const texts = naughty.slice(from, from + atOnce)
      problems.push(...(await Promise.all(texts.map((text) => feedOne(fed, place, text)))).flat())
    }
  }
  return problems
}

/** Tries every text in every argument of the schema that takes text: it is stored as it was sent, or refused with a code. */
export function tryEverywhere(naughty: readonly string[]): void {
  for (const [operation, type] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      for (const argument of field.args.filter((each) => places(each, field.name).length > 0)) {
        test(`S13: ${operation} ${field.name} takes any text in ${argument.name} as it is, or refuses it with a code`, async () => {
          expect(await feed({ operation, field, argument }, naughty)).toEqual([])
        })
      }
    }
  }

  test('S13: much of it was stored, and nothing of it counted as a fault of the server', () => {
    expect(compared).toBeGreaterThan(5 * naughty.length)
    // Of a request: a machine under load may also tell of itself, as that its clock is late.
    const faults = app.log.filter((line) => line.includes('"level":"error"') && line.includes('"requestId"'))
    expect(faults.slice(0, 3)).toEqual([])
  })
}
