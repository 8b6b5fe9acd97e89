import { isDeepStrictEqual } from 'node:util'
import {
  getNamedType,
  isCompositeType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql'
import { afterAll, expect, test } from 'vitest'
import { withImplied, type Scope } from '../../src/domain/access/actor.ts'
import { makeKey } from '../../src/domain/access/key.ts'
import { encodeId } from '../../src/schema/global-id.ts'
import { schema } from '../../src/schema/index.ts'
import { startTestApp, type Answer } from '../support/app.ts'
import { makeFixture, operations, type Fixture } from '../support/operations/index.ts'
import { firstMessage } from '../support/sse.ts'
import { countAudit, readState } from './state.ts'

const ranks: Scope[] = ['READ', 'OPERATE', 'ADMIN']
const callers = ['no key', 'READ', 'OPERATE', 'ADMIN', 'revoked', 'expired', 'unknown'] as const
type Caller = (typeof callers)[number]

type Field = GraphQLField<unknown, unknown>
const rootTypes = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(isObjectType)
const rootFields = rootTypes.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
const nodeTypes = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'),
)

/** The scope that a type or a field states; nothing if it states none. */
function scopeOf({ extensions }: { extensions: Readonly<Record<string, unknown>> }): Scope | undefined {
  const stated = (extensions.pothosOptions as { authScopes?: Record<string, boolean> } | undefined)?.authScopes ?? {}
  return ranks.find((scope) => stated[scope.toLowerCase()])
}

/** What a caller should meet: an error's code, or nothing at an open door. */
function refusalFor(caller: Caller, scope: Scope, publicRead: boolean): string | undefined {
  if (caller === 'revoked' || caller === 'expired' || caller === 'unknown') return 'INVALID_KEY'
  if (caller === 'no key') return publicRead && scope === 'READ' ? undefined : 'UNAUTHENTICATED'
  return ranks.indexOf(caller) >= ranks.indexOf(scope) ? undefined : 'FORBIDDEN'
}

const rankOf = (scope: Scope | undefined) => (scope ? ranks.indexOf(scope) : -1)

let addresses = 0

async function open(publicRead: boolean) {
  const app = await startTestApp({
    // Neither workers nor a clock, which would change things in between.
    env: { FRESHET_ROLE: 'api', FRESHET_PUBLIC_READ: String(publicRead), FRESHET_PROXY_HOPS: '1' },
  })
  // Nobody drives the clock: it is told as late at once, lest the watch tell of it between two looks at the database.
  await app.pool.query("select freshet.watch_clock(now() + interval '1 hour'); select freshet.place_alert_news()")
  const keys: Partial<Record<Caller, string>> = {}
  for (const scope of ranks) keys[scope] = await app.keyWith(scope)
  keys.revoked = await app.keyWith('ADMIN')
  keys.expired = await app.keyWith('ADMIN')
  keys.unknown = makeKey()
  const ended = 'update freshet.api_keys set name = $1, revoked_at = $2, expires_at = $3 where prefix = $4'
  await app.pool.query(ended, ['revoked', new Date(), null, keys.revoked.slice(0, 12)])
  await app.pool.query(ended, ['expired', null, new Date(Date.now() - 1_000), keys.expired.slice(0, 12)])
  const ask = async (caller: Caller, query: string, variables: object = {}) => {
    // Each caller from an address of his own: ten wrong keys from one would be turned away for another reason.
    const address = { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses++ & 255}` }
    const isStream = query.startsWith('subscription')
    const headers = { ...address, ...(isStream ? { accept: 'text/event-stream' } : {}) }
    const key = keys[caller]
    const response = await app.post({ query, variables }, { headers, ...(key ? { key } : {}) })
    const text = isStream ? await firstMessage(response) : await response.text()
    return { text, answer: JSON.parse(text) as Answer<Record<string, unknown>> }
  }
  return { app, publicRead, keys, ask }
}
type Asked = { text: string; answer: Answer<Record<string, unknown>> }

const doors = [await open(true), await open(false)]
afterAll(async () => {
  for (const { app } of doors) await app[Symbol.asyncDispose]()
})

const codesOf = ({ errors = [] }: Answer<Record<string, unknown>>) => [
  ...new Set(errors.map(({ extensions }) => extensions.code)),
]
const isEmpty = ({ data }: Answer<Record<string, unknown>>) =>
  Object.values(data ?? {}).every((value) => value === null)

test('every root field stands in the table of operations, and no other', () => {
  const names = rootFields.map(({ type, field }) => `${type.name}.${field.name}`)
  expect(Object.keys(operations).toSorted()).toEqual(names.toSorted())
})

const fixedFields = rootFields.filter(({ field }) => field.name !== 'node')
test.each(fixedFields.map(({ type, field }) => [`${type.name}.${field.name}`, field] as const))(
  '%s states the scope that the table gives it',
  (name, field) => {
    expect(scopeOf(field)).toBe(operations[name]?.scope)
  },
)

test('every type that can be reached by its id states a scope', () => {
  expect(Object.fromEntries(nodeTypes.map((type) => [type.name, scopeOf(type)]))).toEqual({
    Alert: 'OPERATE',
    ApiKey: 'ADMIN',
    AuditEntry: 'OPERATE',
    CrawlRun: 'OPERATE',
    Feed: 'OPERATE',
    FeedRun: 'OPERATE',
    Offer: 'READ',
    Retailer: 'READ',
    Schedule: 'OPERATE',
    ScheduleRun: 'OPERATE',
    ScrapeRun: 'OPERATE',
    Source: 'OPERATE',
    VerificationRun: 'OPERATE',
  })
})

test('a field that leads to closed objects is closed itself: an empty list tells nothing either', () => {
  const open = [...rootTypes, ...nodeTypes].flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => field.name !== 'node' && rankOf(own(type, field)) < rankOf(highest(type, field)))
      .map((field) => `${type.name}.${field.name}`),
  )
  expect(open).toEqual([])
})

test.each(nodeTypes.map((type) => [type.name, type] as const))(
  'a %s refuses itself to whoever may not see it, whichever field led there',
  (_name, type) => {
    const enter = (scopes: Scope[]) => {
      const context = { actor: { scopes: withImplied(scopes) }, publicRead: false }
      return type.isTypeOf?.({ id: 1n }, context, { path: {} } as GraphQLResolveInfo)
    }
    const needed = rankOf(scopeOf(type))
    expect(() => enter(ranks.slice(0, needed))).toThrow(/This needs a key with the scope/)
    expect(enter(ranks.slice(0, needed + 1))).toBe(true)
  },
)

for (const { app, publicRead, keys, ask } of doors) {
  const where = `S12: with FRESHET_PUBLIC_READ=${publicRead}`
  // Open reading makes a difference to those without a good key alone.
  const asking = publicRead ? callers.filter((caller) => caller === 'no key' || caller === 'revoked') : callers

  /** Asks as each caller in turn, and compares what he met with what he should have met. */
  const askAsEach = async (
    scope: Scope,
    attempt: (caller: Caller) => Promise<{ asked: Asked; hidden: string; rest?: object }>,
    rest = {},
  ) => {
    for (const caller of asking) {
      const refusal = refusalFor(caller, scope, publicRead)
      const { asked, hidden, rest: met = {} } = await attempt(caller)
      const isLeaked = refusal !== undefined && asked.text.includes(hidden)
      const shown = { codes: codesOf(asked.answer), isEmpty: isEmpty(asked.answer), isLeaked, ...met }
      const wanted = { codes: refusal ? [refusal] : [], isEmpty: refusal !== undefined, isLeaked: false, ...rest }
      expect({ caller, ...shown }).toEqual({ caller, ...wanted })
    }
  }

  test.each(Object.entries(operations))(
    `${where}, %s opens to those it should, and changes nothing for others`,
    async (name, operation) => {
      const { scope, document, variables } = operation
      const records = 1 + ('besides' in operation ? (operation.besides?.length ?? 0) : 0)
      const unchanged = await makeFixture(app.pool)
      let state: Awaited<ReturnType<typeof readState>> | undefined
      await askAsEach(
        scope,
        async (caller) => {
          const isChange = name.startsWith('Mutation.') && refusalFor(caller, scope, publicRead) === undefined
          const fixture = isChange ? await makeFixture(app.pool) : unchanged
          const before = isChange ? undefined : (state ?? (await readState(app.pool)))
          const entries = await countAudit(app.pool)
          const asked = await ask(caller, document, variables?.(fixture))
          const recorded = (await countAudit(app.pool)) - entries
          state = isChange ? undefined : await readState(app.pool)
          const isAsItWas = isDeepStrictEqual(state, before)
          return {
            asked,
            hidden: fixture.mark,
            rest: { isAsItWas, isRecordedRight: recorded === (isChange ? records : 0) },
          }
        },
        { isAsItWas: true, isRecordedRight: true },
      )
    },
  )

  let looking: Promise<Fixture> | undefined
  /** Objects that are only looked at, so that one of each serves all. */
  const looked = () => (looking ??= makeFixture(app.pool))

  test.each(nodeTypes.map((type) => [type.name, type] as const))(
    `${where}, %s is closed as a whole, by its id too`,
    async (name, type) => {
      const fixture = await looked()
      const id = fixture[name as keyof Fixture]
      await askAsEach(scopeOf(type) ?? 'ADMIN', async (caller) => {
        const asked = await ask(caller, 'query ($id: ID!) { node(id: $id) { __typename } }', { id })
        return { asked, hidden: name }
      })
    },
  )

  test.each(nodeTypes.map((type) => [type.name, type] as const))(
    `${where}, nobody learns which %s exists who may not see it`,
    async (name, type) => {
      for (const caller of asking) {
        const id = encodeId(name, 9_000_000_000)
        const { answer } = await ask(caller, 'query ($id: ID!) { node(id: $id) { __typename } }', { id })
        const refusal = refusalFor(caller, scopeOf(type) ?? 'ADMIN', publicRead)
        expect({ caller, codes: codesOf(answer) }).toEqual({ caller, codes: refusal ? [refusal] : [] })
      }
    },
  )

  // What several types take over from one interface is one field: it is tried on the first of them.
  const seen = new Set<string>()
  const isFirst = (type: GraphQLObjectType, { name }: Field) => {
    const from = type.getInterfaces().find((shared) => shared.name !== 'Node' && name in shared.getFields())
    const key = `${(from ?? type).name}.${name}`
    return !seen.has(key) && seen.add(key)
  }
  const fields = nodeTypes.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => isFirst(type, field))
      .map((field) => ({ type, field })),
  )
  test.each(fields.map(({ type, field }) => [`${type.name}.${field.name}`, type, field] as const))(
    `${where}, %s shows itself only to those it should`,
    async (_name, type, field) => {
      const fixture = await looked()
      const query = `query ($id: ID!) { node(id: $id) { ... on ${type.name} { ${selectionOf(field)} } } }`
      const id = fixture[type.name as keyof Fixture]
      await askAsEach(highest(type, field), async (caller) => ({
        asked: await ask(caller, query, { id }),
        hidden: fixture.mark,
      }))
    },
  )

  test(`${where}, no line of the log holds a key, right or wrong`, () => {
    expect(app.log.length).toBeGreaterThan(100)
    // Without its first letters, by which lists and lines name a key.
    const secrets = Object.values(keys).map((key) => key.slice(12))
    expect(app.log.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([])
  })
}

const page = (edge: string) => ({
  [`${edge}Connection`]: ['edges', 'nodes', 'pageInfo', 'totalCount'],
  [`${edge}Edge`]: ['cursor', 'node'],
})

/** What everybody may see where reading is open. A field that states no rule takes that of its type, so it is named here. */
const openFields: Record<string, string[]> = {
  Query: ['node', 'offer', 'offers', 'retailer', 'retailers'],
  Offer: [
    'id',
    'title',
    'url',
    'trackingUrl',
    'imageUrl',
    'brand',
    'category',
    'upc',
    'price',
    'originalPrice',
    'currency',
    'inStock',
    'firstSeenAt',
    'lastSeenAt',
    'activeUntil',
    'retailer',
    'priceHistory',
  ],
  ...page('Offer'),
  Price: ['amount', 'currency', 'at', 'reason', 'promo', 'isHeld'],
  ...page('Price'),
  Retailer: ['id', 'slug', 'name', 'website', 'domain', 'logoUrl', 'tier', 'createdAt', 'updatedAt'],
  ...page('Retailer'),
  PageInfo: ['endCursor', 'hasNextPage', 'hasPreviousPage', 'startCursor'],
}

test('no field is open to everybody that is not meant to be, wherever an open field leads', () => {
  const open = new Map<string, string[]>()
  const walk = (type: GraphQLObjectType): void => {
    if (open.has(type.name)) return
    const fields = Object.values(type.getFields()).filter((field) => highest(type, field) === 'READ')
    open.set(type.name, fields.map(({ name }) => name).toSorted())
    for (const field of fields) {
      const target = getNamedType(field.type)
      if (isObjectType(target)) walk(target)
    }
  }
  for (const type of [...rootTypes, ...nodeTypes]) walk(type)
  expect(Object.fromEntries([...open].filter(([, names]) => names.length > 0))).toEqual(
    Object.fromEntries(Object.entries(openFields).map(([type, names]) => [type, names.toSorted()])),
  )
})

test('RULINGS 19: a price that is held back is told to operators alone', async () => {
  const { app, ask } = doors[0]!
  const { Offer } = await makeFixture(app.pool)
  const query =
    'query ($id: ID!, $held: Boolean) { offer(id: $id) { priceHistory(includeHeld: $held) { totalCount nodes { amount } } } }'
  const met = async (caller: Caller, held: boolean | null) => {
    const { text, answer } = await ask(caller, query, { id: Offer, held })
    return [...codesOf(answer), text.includes('1299') ? 'told' : 'not told']
  }
  for (const caller of ['no key', 'READ', 'OPERATE'] as const)
    for (const held of [false, null]) expect(await met(caller, held)).toEqual(['not told'])
  expect(await met('no key', true)).toEqual(['UNAUTHENTICATED', 'not told'])
  expect(await met('READ', true)).toEqual(['FORBIDDEN', 'not told'])
  expect(await met('OPERATE', true)).toEqual(['told'])
})

/** What it takes to ask for a field: the scope of its type and its own. */
function own(type: GraphQLObjectType, field: Field): Scope | undefined {
  return ranks.findLast((scope) => scope === scopeOf(type) || scope === scopeOf(field))
}

/** What it takes to see what a field shows: that, and the scope of the objects it leads to. */
function highest(type: GraphQLObjectType, field: Field): Scope {
  const target = getNamedType(field.type)
  const needed = [own(type, field), isCompositeType(target) ? scopeOf(target) : undefined]
  return ranks.findLast((scope) => needed.includes(scope)) ?? 'READ'
}

function selectionOf(field: Field): string {
  const target = getNamedType(field.type)
  return isCompositeType(target) ? `${field.name} { __typename }` : field.name
}
