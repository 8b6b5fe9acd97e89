import type { Prisma } from '../db/generated/client/client.ts'
import { importSources } from '../domain/sources/import-sources.ts'
import {
  createSource,
  reviewSource,
  setDisplayPrimary,
  setSourceVisibility,
  updateSource,
} from '../domain/sources/source.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { containing } from './filter.ts'
import { rowId } from './global-id.ts'
import { ImportResult } from './import-result.ts'
import { byName, nodeQuery, readModelPage } from './model-page.ts'
import { readBack } from './read-back.ts'
import { Retailer } from './retailer.ts'
import { CreateSourceInput, ReviewSourceInput, UpdateSourceInput } from './source-input.ts'
import { Source, SourceKind, VisibilityStatus } from './source-type.ts'

const SourceConnection = builder.connectionObject(
  { type: Source, name: 'SourceConnection', description: 'A page of sources.' },
  { description: 'A source and its place in the list.' },
)

const SourceFilter = builder.inputType('SourceFilter', {
  description: 'Which sources to list.',
  fields: (t) => ({
    q: t.string({ description: 'Part of the name, upper or lower case.' }),
    retailerId: t.globalID({ for: Retailer, description: 'Only those of this retailer.' }),
    kind: t.field({ type: SourceKind, description: 'Only those of this kind.' }),
    visibilityStatus: t.field({ type: VisibilityStatus, description: 'Only those with this status.' }),
    reviewed: t.boolean({ description: 'Only those whose terms were reviewed, or were not.' }),
  }),
})

builder.queryFields((t) => ({
  sources: t.field({
    type: SourceConnection,
    description: 'Sources by name, a page at a time.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: SourceFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, context, info) => {
      const where: Prisma.SourceWhereInput = {
        name: containing(filter?.q),
        retailerId: rowId(filter?.retailerId),
        kind: filter?.kind ?? undefined,
        visibilityStatus: filter?.visibilityStatus ?? undefined,
        tosReviewedAt: typeof filter?.reviewed === 'boolean' ? (filter.reviewed ? { not: null } : null) : undefined,
      }
      return readModelPage(page, byName('sources'), context.db.source, { where, ...nodeQuery(context, info) })
    },
  }),
  source: t.prismaField({
    type: Source,
    nullable: true,
    description: 'One source; null if there is none with this id.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Source, description: 'Its id.' }) },
    resolve: (query, _root, { id }, { db }) => db.source.findUnique({ ...query, where: { id: rowId(id) } }),
  }),
}))

const confirmArg = builder.args((t) => ({
  confirm: t.boolean({
    defaultValue: false,
    description: 'Needed where so many offers would vanish that somebody should look first; the refusal says how many.',
  }),
}))

builder.mutationFields((t) => ({
  createSource: t.prismaField({
    type: Source,
    description: 'Adds a source to a retailer.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: CreateSourceInput, required: true, description: 'The source.' }) },
    resolve: (query, _root, { input: { retailerId, ...source } }, { db, actor }) =>
      readBack(db.source, query, createSource(db, actor, rowId(retailerId), source)),
  }),
  updateSource: t.prismaField({
    type: Source,
    description: 'Changes a source. Visibility has mutations of its own.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: UpdateSourceInput, required: true, description: 'The changes.' }) },
    resolve: (query, _root, { input: { id, ...changes } }, { db, log, actor }) =>
      readBack(db.source, query, updateSource({ db, log }, actor, rowId(id), changes)),
  }),
  setDisplayPrimary: t.prismaField({
    type: Source,
    description:
      'Makes a source the one that its retailer shows. The former primary loses the mark in the same moment. A second time changes nothing. While the primary is INELIGIBLE the retailer shows nothing: see `visibility`.',
    authScopes: { admin: true },
    args: { id: t.arg.globalID({ required: true, for: Source, description: 'Which source.' }), ...confirmArg },
    resolve: (query, _root, { id, confirm }, { db, actor, now }) =>
      readBack(db.source, query, setDisplayPrimary(db, actor, rowId(id), { confirm: confirm ?? false, now: now() })),
  }),
  setSourceVisibility: t.prismaField({
    type: Source,
    description: 'Says whether consumers may see what a source brings.',
    authScopes: { admin: true },
    args: {
      id: t.arg.globalID({ required: true, for: Source, description: 'Which source.' }),
      status: t.arg({ type: VisibilityStatus, required: true, description: 'Whether they may.' }),
      ...confirmArg,
    },
    resolve: (query, _root, { id, status, confirm }, { db, actor, now }) => {
      const showing = { confirm: confirm ?? false, now: now() }
      return readBack(db.source, query, setSourceVisibility(db, actor, rowId(id), status, showing))
    },
  }),
  reviewSource: t.prismaField({
    type: Source,
    description:
      'Records that a person read the terms and the robots.txt of a source’s site. Nothing is fetched without.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: ReviewSourceInput, required: true, description: 'The review.' }) },
    resolve: (query, _root, { input: { id, ...review } }, { db, actor, now }) =>
      readBack(db.source, query, reviewSource(db, actor, rowId(id), review, now())),
  }),
  importSources: t.field({
    type: ImportResult,
    description:
      'Takes over a list of sources. A row without a retailer is matched by the domain of its url; a row whose name its retailer has already updates that source, except for its kind; a retailer without a display primary gets its oldest direct source that is eligible. All rows or none.',
    authScopes: { admin: true },
    args: {
      csv: t.arg.string({
        required: true,
        description:
          'A table with the header retailer, name, kind, url, created_at, expiry_hours, affiliate_network, affiliate_account_id, affiliate_account_name, affiliate_tracking_template; name is required, and retailer or url.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'Only say what would happen.' }),
    },
    resolve: (_root, { csv, dryRun }, { db, actor }) => importSources(db, actor, csv, { dryRun: dryRun ?? false }),
  }),
}))
