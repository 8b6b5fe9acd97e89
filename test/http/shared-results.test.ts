import { buildSchema, parse, type ExecutionResult } from 'graphql'
import { expect, test } from 'vitest'
import type { Scope } from '../../src/domain/access/actor.ts'
import { createSharedSubscribe } from '../../src/http/shared-results.ts'

type Event = { number: number }

/** Subscribers of a schema that counts how often an event was looked at, and says with whose rights. */
function setup() {
  const schema = buildSchema(
    'type Query { a: Int } type Subscription { event(only: Int): Seen } type Seen { number: Int, rights: String }',
  )
  let looks = 0
  const seen = schema.getType('Seen') as unknown as { getFields(): Record<string, { resolve?: unknown }> }
  seen.getFields().number!.resolve = ({ number }: Event) => (looks++, number)
  seen.getFields().rights!.resolve = (_event: Event, _args: object, { actor }: { actor: { scopes: Set<Scope> } }) =>
    [...actor.scopes].join()
  const subscribe = createSharedSubscribe()
  const documents = new Map<string, ReturnType<typeof parse>>()
  const open = async (
    events: Event[],
    query: string,
    scope: Scope = 'OPERATE',
    variableValues: Record<string, unknown> = {},
  ) => {
    const field = schema.getSubscriptionType()!.getFields().event!
    field.subscribe = async function* () {
      yield* events
    }
    field.resolve = (event: unknown) => event
    const document = documents.get(query) ?? parse(query)
    documents.set(query, document)
    const contextValue = { actor: { scopes: new Set([scope]) } }
    const results: ExecutionResult[] = []
    const stream = await subscribe({ schema, document, contextValue, variableValues })
    if (!(Symbol.asyncIterator in stream)) throw new Error(JSON.stringify(stream))
    for await (const result of stream) results.push(result)
    return results
  }
  return { open, looks: () => looks }
}

const numbers = 'subscription { event { number } }'

test('a thousand who ask the same of the same events have each worked out once, and get the same text', async () => {
  const { open, looks } = setup()
  const events = [{ number: 1 }, { number: 2 }]
  const all = await Promise.all(Array.from({ length: 1_000 }, () => open(events, numbers)))
  expect(looks()).toBe(2)
  const texts = all.map((results) =>
    results.map((result) => (result as { stringify: (own: object) => string }).stringify(result)),
  )
  expect(new Set(texts.map(String))).toEqual(
    new Set(['{"data":{"event":{"number":1}}},{"data":{"event":{"number":2}}}']),
  )
})

test('who asks something else, with other variables or other rights, gets an answer of his own', async () => {
  const { open, looks } = setup()
  const events = [{ number: 1 }]
  const rights = 'subscription ($only: Int) { event(only: $only) { number rights } }'
  expect((await open(events, rights, 'OPERATE', { only: 1 }))[0]?.data).toEqual({
    event: { number: 1, rights: 'OPERATE' },
  })
  expect((await open(events, rights, 'ADMIN', { only: 1 }))[0]?.data).toEqual({ event: { number: 1, rights: 'ADMIN' } })
  await open(events, rights, 'ADMIN', { only: 2 })
  expect(looks()).toBe(3)
  expect((await open(events, numbers, 'ADMIN'))[0]?.data).toEqual({ event: { number: 1 } })
  expect(looks()).toBe(4)
})

test('events that are equal but not the same are each worked out', async () => {
  const { open, looks } = setup()
  await open([{ number: 1 }], numbers)
  await open([{ number: 1 }], numbers)
  expect(looks()).toBe(2)
})
