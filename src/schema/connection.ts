import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import { z } from 'zod'
import { badInput } from '../domain/errors.ts'
import { builder, type Context } from './builder.ts'
import { decodeCursor, encodeCursor, idPart, textPart } from './cursor.ts'

export const defaultPageSize = 20
export const maxPageSize = 100

type PageArgs = { first?: number | null | undefined; after?: string | null | undefined }
type Page<Row> = {
  edges: { cursor: string; node: Row }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: () => Promise<number>
}

/**
 * One order of a list. Its name stands in the cursors, so that those of another list or order are refused. The key is
 * what the order compares; it ends with something unique, so that every row has a place of its own.
 */
type Order<Row, Key extends readonly (string | bigint)[], Where, OrderBy> = {
  name: string
  form: z.ZodType<Key>
  key: (row: Row) => Key
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

type Query<Where, OrderBy> = { where: { AND: Where[] }; orderBy: OrderBy[]; take: number }

/**
 * Reads one page by its key, never by an offset: rows that come or go between two pages shift nothing. It reads one row
 * more than asked for, to know whether there is a next page; the total is counted only if the client asks for it.
 */
export async function readPage<Row, Key extends readonly (string | bigint)[], Where, OrderBy>(
  { first, after }: PageArgs,
  order: Order<NoInfer<Row>, Key, NoInfer<Where>, OrderBy>,
  where: Where,
  read: { rows: (query: Query<Where, OrderBy>) => Promise<Row[]>; count: (where: Where) => Promise<number> },
): Promise<Page<Row>> {
  const size = first ?? defaultPageSize
  if (size < 1 || size > maxPageSize)
    throw badInput([{ field: 'first', message: `must be from 1 to ${maxPageSize}, not ${size}.` }])
  const isContinued = after !== null && after !== undefined
  const place = isContinued ? [order.behind(decodeCursor(order.name, order.form, after))] : []
  const found = await read.rows({ where: { AND: [where, ...place] }, orderBy: order.orderBy, take: size + 1 })
  const edges = found.slice(0, size).map((node) => ({ node, cursor: encodeCursor(order.name, order.key(node)) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: found.length > size,
      hasPreviousPage: isContinued,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: () => read.count(where),
  }
}

/** The arguments that every list takes. */
export const pageArgs = builder.args((t) => ({
  first: t.int({ description: `How many to return: 1 to ${maxPageSize}, ${defaultPageSize} if not given.` }),
  after: t.string({ description: 'Go on behind this cursor: the `endCursor` of the page before.' }),
}))

/** What a page costs: each field of its objects once for every object asked for. */
export const pageComplexity = ({ first }: PageArgs) => ({
  field: 1,
  multiplier: Math.min(Math.max(first ?? defaultPageSize, 1), 1_000_000),
})

/** What a client wants to know of the objects of a page, for Prisma: relations come with the rows, not one by one. */
export const nodeQuery = (context: Context, info: GraphQLResolveInfo) =>
  queryFromInfo({ context, info, paths: [['nodes'], ['edges', 'node']] })

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'How many there are in all; counted only if asked for.',
    resolve: ({ totalCount }) => totalCount(),
  }),
)
