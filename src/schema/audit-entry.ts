import { queryFromInfo } from '@pothos/plugin-prisma'
import type { AuditEntry as AuditEntryRow, Prisma } from '../db/generated/client/client.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity, readPage, totalCount, type Order, type Page } from './connection.ts'

const AuditEntry = builder.prismaNode('AuditEntry', {
  description: 'One line of the audit log: who changed what.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    actor: t.exposeString('actor', { description: 'Who: the name and beginning of a key, or the command line.' }),
    action: t.exposeString('action', { description: 'What was done, as in CREATE_SOURCE.' }),
    objectType: t.exposeString('objectType', { description: 'The type of the object.' }),
    objectId: t.exposeString('objectId', { nullable: true, description: 'Its number.' }),
    changes: t.expose('changes', {
      type: 'JSON',
      description: 'The fields that changed, with their values before and after. Secrets are only named.',
    }),
    requestId: t.exposeString('requestId', { description: 'The request that did it, as in the server log.' }),
  }),
})

const AuditEntryConnection = builder.connectionObject<typeof AuditEntry, Page<AuditEntryRow>>(
  {
    type: AuditEntry,
    name: 'AuditEntryConnection',
    description: 'A page of the audit log.',
    fields: (t) => ({
      totalCount: t.int({ description: 'How many there are in all; counted only if asked for.', resolve: totalCount }),
    }),
  },
  { description: 'An entry and its place in the log.' },
)

type Where = Prisma.AuditEntryWhereInput

const byNewest: Order<AuditEntryRow, Where, Prisma.AuditEntryOrderByWithRelationInput> = {
  name: 'NEWEST',
  key: ({ id }) => [id],
  behind: ([id]) => ({ id: { lt: BigInt(id ?? 0) } }),
  orderBy: [{ id: 'desc' }],
}

const AuditFilter = builder.inputType('AuditFilter', {
  description: 'Which entries to list.',
  fields: (t) => ({
    action: t.string({ description: 'Exactly this action.' }),
    objectType: t.string({ description: 'Only objects of this type.' }),
    objectId: t.string({ description: 'Only the object with this number; give objectType too.' }),
    actorKeyId: t.globalID({ description: 'Only what this key did.' }),
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
      const query = queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] })
      const where: Where = {
        ...(filter?.action ? { action: filter.action } : {}),
        ...(filter?.objectType ? { objectType: filter.objectType } : {}),
        ...(filter?.objectId ? { objectId: filter.objectId } : {}),
        ...(filter?.actorKeyId ? { actorKeyId: BigInt(filter.actorKeyId.id) } : {}),
        ...(filter?.requestId ? { requestId: filter.requestId } : {}),
        ...(filter?.since || filter?.until
          ? { at: { gte: filter.since ?? undefined, lt: filter.until ?? undefined } }
          : {}),
      }
      return readPage(page, byNewest, where, {
        rows: (part) => context.db.auditEntry.findMany({ ...query, ...part }),
        count: (counted) => context.db.auditEntry.count({ where: counted }),
      })
    },
  }),
)
