import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import type { Pool } from '../db/pool.ts'
import type { Db } from '../db/prisma.ts'
import type PrismaTypes from '../db/generated/pothos.ts'
import { getDatamodel } from '../db/generated/pothos.ts'
import type { Actor } from '../domain/access/actor.ts'
import type { KeyRing } from '../domain/feeds/credentials/key-ring.ts'
import type { AlertBell } from '../domain/alerts/alert-bell.ts'
import type { Log } from '../log.ts'
import type { EventHub } from '../domain/runs/event-hub.ts'
import { refusal, scopesOf, type Scopes } from './authorization.ts'
import { globalIdCheck } from './global-id-check.ts'
import { decodeId, encodeId } from './global-id.ts'

/** What a resolver may use. It holds no queue and no connection of its own: work is asked of `src/domain`. */
export type Context = {
  db: Db
  pool: Pool
  actor: Actor
  publicRead: boolean
  now: () => Date
  log: Log
  eventHub: EventHub
  alertBell: AlertBell
  keyRing: KeyRing
  allowPlainFtp: boolean
  /** The seconds that each queue of the program waits before its further attempts. */
  retryDelays: ReadonlyMap<string, number[]>
}

export const builder = new SchemaBuilder<{
  Context: Context
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  AuthScopes: Scopes
  Connection: { totalCount: () => Promise<number> }
  Scalars: {
    DateTime: { Input: Date; Output: Date }
    JSON: { Input: unknown; Output: unknown }
    Decimal: { Input: string; Output: string }
  }
}>({
  plugins: [ScopeAuthPlugin, ComplexityPlugin, RelayPlugin, globalIdCheck, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: {
    client: (context) => context.db,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    onUnusedQuery: 'warn',
  },
  relay: {
    clientMutationId: 'omit',
    cursorType: 'String',
    encodeGlobalID: encodeId,
    decodeGlobalID: decodeId,
    nodesOnConnection: { description: 'The objects of this page.', complexity: { field: 1, multiplier: 1 } },
    edgesFieldOptions: {
      description: 'The objects of this page, each with its cursor.',
      complexity: { field: 1, multiplier: 1 },
    },
    nodeFieldOptions: { description: 'The object.' },
    cursorFieldOptions: { description: 'Where this object stands: pass it as `after` to go on behind it.' },
    idFieldOptions: { description: 'The global id.' },
    pageInfoFieldOptions: { description: 'Whether there is more, and where to go on.' },
    hasNextPageFieldOptions: { description: 'Whether more objects follow this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether this page was reached with `after`.' },
    startCursorFieldOptions: { description: 'The cursor of the first object of this page.' },
    endCursorFieldOptions: { description: 'The cursor of the last object of this page.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    nodeTypeOptions: { description: 'An object with a global id.' },
    nodeQueryOptions: {
      description: 'Any object by its global id; null if there is none.',
      // Asked before anything is looked up, so that nobody learns from the answer what exists.
      authScopes: (_root, { id }, _context, { schema }) => ({ $all: { read: true, ...scopesOf(schema, id.typename) } }),
      args: { id: { description: 'The global id.' } },
    },
    nodesQueryOptions: false,
  },
  scopeAuth: {
    authScopes: ({ actor, publicRead }) => ({
      read: publicRead || actor.scopes.has('READ'),
      operate: actor.scopes.has('OPERATE'),
      admin: actor.scopes.has('ADMIN'),
    }),
    authorizeOnSubscribe: true,
    // Asked when an object is reached, not field by field: a closed object does not even show its `__typename`.
    runScopesOnType: true,
    unauthorizedError: (_parent, { actor }, _info, { failure }) => refusal(actor, failure),
  },
  complexity: { defaultComplexity: 1, defaultListMultiplier: 10 },
})

builder.queryType({
  description: 'What can be asked. Catalogue queries are open; the others need a key with OPERATE or ADMIN.',
})
builder.subscriptionType({
  description: 'What can be watched, over server-sent events. Every subscription needs a key with OPERATE.',
})
builder.mutationType({
  description: 'What can be changed. Every mutation needs a key and is recorded in the audit log.',
})
