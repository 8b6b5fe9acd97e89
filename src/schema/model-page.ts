import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import { z } from 'zod'
import type { Context } from './builder.ts'
import { readPage, type Order, type Page, type PageArgs } from './connection.ts'
import { idPart, textPart } from './cursor.ts'

/** An order in the words of Prisma. */
type ModelOrder<Row, Key extends readonly (string | bigint)[], Where, OrderBy> = Order<Row, Key> & {
  behind: (key: Key) => Where
  orderBy: OrderBy[]
}

/** Newest first. */
export const byNewest = (list: string) => ({
  name: `${list}.NEWEST`,
  form: z.tuple([idPart]),
  key: ({ id }: { id: bigint }): [bigint] => [id],
  behind: ([id]: [bigint]) => ({ id: { lt: id } }),
  orderBy: [{ id: 'desc' as const }],
})

/** By name, as the database sorts it; equal names by age. */
export const byName = (list: string) => ({
  name: `${list}.NAME`,
  form: z.tuple([textPart, idPart]),
  key: ({ name, id }: { name: string; id: bigint }): [string, bigint] => [name, id],
  behind: ([name, id]: [string, bigint]) => ({ OR: [{ name: { gt: name } }, { name, id: { gt: id } }] }),
  orderBy: [{ name: 'asc' as const }, { id: 'asc' as const }],
})

/** A model of Prisma's client, as far as a list needs it. */
type Model<Row, Where, OrderBy> = {
  findMany: (query: { where: { AND: Where[] }; orderBy: OrderBy[]; take: number }) => Promise<Row[]>
  count: (query: { where: Where }) => Promise<number>
}

/** A page of a list that Prisma reads. `query` says which rows, and with `nodeQuery` what of them. */
export function readModelPage<Row, Key extends readonly (string | bigint)[], Where, OrderBy>(
  page: PageArgs,
  order: ModelOrder<NoInfer<Row>, Key, NoInfer<Where>, OrderBy>,
  model: Model<Row, Where, OrderBy>,
  query: { where: NoInfer<Where> },
): Promise<Page<Row>> {
  return readPage<Row, Key>(page, order, {
    rows: ({ behind, take }) => {
      const place = behind ? [order.behind(behind)] : []
      return model.findMany({ ...query, where: { AND: [query.where, ...place] }, orderBy: order.orderBy, take })
    },
    count: () => model.count({ where: query.where }),
  })
}

/** What a client wants to know of the objects of a page, for Prisma: relations come with the rows, not one by one. */
export const nodeQuery = (context: Context, info: GraphQLResolveInfo) =>
  queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] })
