import type { Prisma } from '../db/generated/client/client.ts'
import { importRetailers } from '../domain/retailers/import-retailers.ts'
import { createRetailer, updateRetailer } from '../domain/retailers/retailer.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { containing } from './filter.ts'
import { ImportResult } from './import-result.ts'
import { byName, byNewest, nodeQuery, readModelPage } from './model-page.ts'

export const Retailer = builder.prismaNode('Retailer', {
  description: 'A shop or marketplace.',
  authScopes: { read: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    slug: t.exposeString('slug', { description: 'A short unique name for addresses and lists.' }),
    name: t.exposeString('name', { description: 'The name people know.' }),
    website: t.exposeString('website', { nullable: true, description: 'The home page.' }),
    domain: t.exposeString('domain', {
      nullable: true,
      description: 'The registrable domain of the website; imported sources are matched by it.',
    }),
    logoUrl: t.exposeString('logoUrl', { nullable: true, description: 'A picture of the logo.' }),
    tier: t.exposeString('tier', {
      nullable: true,
      description: 'A label of your own. It never decides what is visible.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

const RetailerConnection = builder.connectionObject(
  { type: Retailer, name: 'RetailerConnection', description: 'A page of retailers.' },
  { description: 'A retailer and its place in the list.' },
)

const RetailerOrderBy = builder.enumType('RetailerOrderBy', {
  description: 'In which order retailers are listed.',
  values: { NAME: { description: 'By name.' }, NEWEST: { description: 'Newest first.' } } as const,
})
const RetailerFilter = builder.inputType('RetailerFilter', {
  description: 'Which retailers to list.',
  fields: (t) => ({
    q: t.string({ description: 'Part of the name, upper or lower case.' }),
    slug: t.string({ description: 'Exactly this slug.' }),
    domain: t.string({ description: 'Exactly this domain.' }),
  }),
})

builder.queryField('retailers', (t) =>
  t.field({
    type: RetailerConnection,
    description: 'Retailers, a page at a time.',
    authScopes: { read: true },
    complexity: pageComplexity,
    args: {
      ...pageArgs,
      filter: t.arg({ type: RetailerFilter, description: 'Which ones; all if not given.' }),
      orderBy: t.arg({ type: RetailerOrderBy, defaultValue: 'NAME', description: 'In which order.' }),
    },
    resolve: (_root, { filter, orderBy, ...page }, context, info) => {
      const where: Prisma.RetailerWhereInput = {
        name: containing(filter?.q),
        slug: filter?.slug ?? undefined,
        domain: filter?.domain ?? undefined,
      }
      const { retailer } = context.db
      const query = { where, ...nodeQuery(context, info) }
      return orderBy === 'NEWEST'
        ? readModelPage(page, byNewest('retailers'), retailer, query)
        : readModelPage(page, byName('retailers'), retailer, query)
    },
  }),
)

builder.queryField('retailer', (t) =>
  t.prismaField({
    type: Retailer,
    nullable: true,
    description: 'One retailer; null if there is none with this id.',
    authScopes: { read: true },
    args: { id: t.arg.globalID({ required: true, for: Retailer, description: 'Its id.' }) },
    resolve: (query, _root, { id }, { db }) => db.retailer.findUnique({ ...query, where: { id: BigInt(id.id) } }),
  }),
)

const CreateRetailerInput = builder.inputType('CreateRetailerInput', {
  description: 'A new retailer.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name people know; at most 200 characters.' }),
    slug: t.string({
      description:
        'A short unique name of a–z, 0–9 and hyphens, at most 100 characters; made from the name if not given.',
    }),
    website: t.string({ description: 'The home page, http or https; at most 2000 characters.' }),
    logoUrl: t.string({ description: 'A picture of the logo, http or https; at most 2000 characters.' }),
    tier: t.string({ description: 'A label of your own; at most 50 characters.' }),
  }),
})

const UpdateRetailerInput = builder.inputType('UpdateRetailerInput', {
  description: 'Changes to a retailer. What is left out stays as it is; null clears a field that may be empty.',
  fields: (t) => ({
    id: t.globalID({ required: true, for: Retailer, description: 'Which retailer.' }),
    name: t.string({ description: 'The name people know; at most 200 characters.' }),
    slug: t.string({ description: 'A short unique name of a–z, 0–9 and hyphens; at most 100 characters.' }),
    website: t.string({ description: 'The home page, http or https; at most 2000 characters.' }),
    logoUrl: t.string({ description: 'A picture of the logo, http or https; at most 2000 characters.' }),
    tier: t.string({ description: 'A label of your own; at most 50 characters.' }),
  }),
})

builder.mutationFields((t) => ({
  createRetailer: t.prismaField({
    type: Retailer,
    description: 'Adds a retailer.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: CreateRetailerInput, required: true, description: 'The retailer.' }) },
    resolve: async (query, _root, { input }, { db, actor }) => {
      const { id } = await createRetailer(db, actor, input)
      return db.retailer.findUniqueOrThrow({ ...query, where: { id } })
    },
  }),
  updateRetailer: t.prismaField({
    type: Retailer,
    description: 'Changes a retailer.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: UpdateRetailerInput, required: true, description: 'The changes.' }) },
    resolve: async (query, _root, { input: { id, ...changes } }, { db, actor }) => {
      await updateRetailer(db, actor, BigInt(id.id), changes)
      return db.retailer.findUniqueOrThrow({ ...query, where: { id: BigInt(id.id) } })
    },
  }),
  importRetailers: t.field({
    type: ImportResult,
    description:
      'Takes over a list of retailers. Rows whose slug exists update that retailer, so the same list can be imported again. All rows or none.',
    authScopes: { operate: true },
    args: {
      csv: t.arg.string({
        required: true,
        description: 'A table with the header name, slug, website, logo_url, tier; only name is required.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'Only say what would happen.' }),
    },
    resolve: (_root, { csv, dryRun }, { db, actor }) => importRetailers(db, actor, csv, { dryRun: dryRun ?? false }),
  }),
}))
