import type { Prisma } from '../db/generated/client/client.ts'
import { ApiKey } from './api-key.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { encodeId, isRowId } from './global-id.ts'
import { byNewest, nodeQuery, readModelPage } from './model-page.ts'

const AuditEntry = builder.prismaNode('AuditEntry', {
  description: 'One line of the audit log: who changed what.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actor: t.exposeString('actor', { description: 'Who: the name and beginning of a key, or the command line.' }),
    actorKeyId: t.globalID({
      nullable: true,
      description: 'The key that did it; null: it was done without one, at the start or on the command line.',
      resolve: ({ actorKeyId }) => (actorKeyId === null ? null : { type: ApiKey, id: actorKeyId }),
    }),
    action: t.exposeString('action', { description: 'What was done, as in CREATE_SOURCE.' }),
    objectType: t.exposeString('objectType', { description: 'The type of the object.' }),
    objectId: t.exposeString('objectId', {
      nullable: true,
      description: 'Its number, or the id of a job or name of a queue; null where there are many.',
    }),
    objectGlobalId: t.id({
      nullable: true,
      description: 'Its global id, for `node`; null where there are many, and for jobs and queues, which have none.',
      resolve: ({ objectType, objectId }) =>
        objectId !== null && isRowId(objectId) ? encodeId(objectType, objectId) : null,
    }),
    changes: t.expose('changes', {
      type: 'JSON',
      description: 'The fields that changed, with their values before and after. Secrets are only named.',
    }),
    requestId: t.exposeString('requestId', { description: 'The request that did it, as in the server log.' }),
  }),
})

const AuditEntryConnection = builder.connectionObject(
  { type: AuditEntry, name: 'AuditEntryConnection', description: 'A page of the audit log.' },
  { description: 'An entry and its place in the log.' },
)

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries to list.',
  fields: (t) => ({
    action: t.string({ description: 'Exactly this action.' }),
    objectType: t.string({ description: 'Only objects of this type.' }),
    objectId: t.string({ description: 'Only the object with this number; give objectType too.' }),
    objectGlobalId: t.globalID({ description: 'Only the object with this global id.' }),
    actorKeyId: t.globalID({ for: ApiKey, description: 'Only what this key did.' }),
    requestId: t.string({ description: 'Only what this request did.' }),
    since: t.field({ type: 'DateTime', description: 'Only entries from this moment on.' }),
    until: t.field({ type: 'DateTime', description: 'Only entries before this moment.' }),
  }),
})

builder.queryField('auditLog', (t) =>
  t.field({
    type: AuditEntryConnection,
    description: 'Who changed what, newest first.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: AuditFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, context, info) => {
      const where: Prisma.AuditEntryWhereInput = {
        action: filter?.action ?? undefined,
        objectType: filter?.objectType ?? undefined,
        objectId: filter?.objectId ?? undefined,
        actorKeyId: filter?.actorKeyId ? BigInt(filter.actorKeyId.id) : undefined,
        requestId: filter?.requestId ?? undefined,
        at: { gte: filter?.since ?? undefined, lt: filter?.until ?? undefined },
        AND: filter?.objectGlobalId
          ? { objectType: filter.objectGlobalId.typename, objectId: filter.objectGlobalId.id }
          : undefined,
      }
      return readModelPage(page, byNewest('auditLog'), context.db.auditEntry, { where, ...nodeQuery(context, info) })
    },
  }),
)
