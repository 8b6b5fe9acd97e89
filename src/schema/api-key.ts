import type { ApiKey as ApiKeyRow, KeyScope as Scope } from '../db/generated/client/client.ts'
import { createApiKey, revokeApiKey } from '../domain/access/api-key.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { byNewest, nodeQuery, readModelPage } from './model-page.ts'

const KeyScope = builder.enumType('KeyScope', {
  description: 'What a key may do. ADMIN includes OPERATE, OPERATE includes READ.',
  values: {
    READ: { description: 'Ask for the catalogue.' },
    OPERATE: { description: 'Run and set up sources, see how they run.' },
    ADMIN: { description: 'Also keys, credentials and visibility.' },
  } satisfies Record<Scope, { description: string }>,
})

/** A key, without the key itself. */
export const ApiKey = builder.prismaNode('ApiKey', {
  description: 'A key that lets a program or a person in. The key itself is stored nowhere.',
  authScopes: { admin: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What or whom it is for.' }),
    prefix: t.exposeString('prefix', { description: 'How the key begins, to recognise it by.' }),
    scopes: t.expose('scopes', { type: [KeyScope], complexity: 1, description: 'What it may do.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    createdBy: t.exposeString('createdBy', { description: 'By whom.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends by itself; null: never.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the minute.',
    }),
    revokedAt: t.expose('revokedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked; null: it was not.',
    }),
  }),
})

const ApiKeyConnection = builder.connectionObject(
  { type: ApiKey, name: 'ApiKeyConnection', description: 'A page of keys.' },
  { description: 'A key and its place in the list.' },
)

builder.queryField('apiKeys', (t) =>
  t.field({
    type: ApiKeyConnection,
    description: 'All keys, newest first, revoked ones included.',
    authScopes: { admin: true },
    complexity: pageComplexity,
    args: pageArgs,
    resolve: (_root, page, context, info) =>
      readModelPage(page, byNewest('apiKeys'), context.db.apiKey, { where: {}, ...nodeQuery(context, info) }),
  }),
)

const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new key.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What or whom it is for; at most 100 characters.' }),
    scopes: t.field({ type: [KeyScope], required: true, description: 'What it may do.' }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends by itself; never if not given.' }),
  }),
})
const CreatedApiKey = builder.objectRef<{ key: string; apiKey: ApiKeyRow }>('CreatedApiKey').implement({
  description: 'A key that was just made.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key. It is shown this once and cannot be shown again.' }),
    apiKey: t.expose('apiKey', { type: ApiKey, description: 'What is kept of it.' }),
  }),
})

builder.mutationFields((t) => ({
  createApiKey: t.field({
    type: CreatedApiKey,
    description: 'Makes a key.',
    authScopes: { admin: true },
    args: { input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The key.' }) },
    resolve: (_root, { input }, { db, actor, now }) => createApiKey(db, actor, input, now()),
  }),
  revokeApiKey: t.field({
    type: ApiKey,
    description:
      'Ends a key at once; its open subscriptions end too. Revoking twice changes nothing. The last key with ADMIN goes only if confirmed.',
    authScopes: { admin: true },
    args: {
      id: t.arg.globalID({ required: true, for: ApiKey, description: 'Which key.' }),
      confirm: t.arg.boolean({ defaultValue: false, description: 'Also if it is the last one with ADMIN.' }),
    },
    resolve: (_root, { id, confirm }, { db, actor, now }) =>
      revokeApiKey(db, actor, BigInt(id.id), now(), { confirm: confirm ?? false }),
  }),
}))
