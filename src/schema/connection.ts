import type { z } from 'zod'
import { badInput } from '../domain/errors.ts'
import { builder } from './builder.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

export const defaultPageSize = 20
export const maxPageSize = 100

export type PageArgs = { first?: number | null | undefined; after?: string | null | undefined }
export type Page<Row> = {
  edges: { cursor: string; node: Row }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: () => Promise<number>
}

/**
 * One order of a list. Its name stands in the cursors, so that those of another list or order are refused. The key is
 * what the order compares; it ends with something unique, so that every row has a place of its own.
 */
export type Order<Row, Key extends readonly (string | bigint)[]> = {
  name: string
  form: z.ZodType<Key>
  key: (row: Row) => Key
}

/** How a list is read, in the order that goes with it: what lies behind a key, or all of it; and how much there is. */
type Read<Row, Key> = {
  rows: (part: { behind: Key | undefined; take: number }) => Promise<Row[]>
  count: () => Promise<number>
}

/**
 * Reads one page by its key, never by an offset: rows that come or go between two pages shift nothing. It reads one row
 * more than asked for, to know whether there is a next page; the total is counted only if the client asks for it.
 */
export async function readPage<Row, Key extends readonly (string | bigint)[]>(
  { first, after }: PageArgs,
  order: Order<Row, Key>,
  { rows, count }: Read<NoInfer<Row>, NoInfer<Key>>,
): Promise<Page<Row>> {
  const size = first ?? defaultPageSize
  if (size < 1 || size > maxPageSize)
    throw badInput([{ field: 'first', message: `must be from 1 to ${maxPageSize}, not ${size}.` }])
  const isContinued = after !== null && after !== undefined
  const behind = isContinued ? decodeCursor(order.name, order.form, after) : undefined
  const found = await rows({ behind, take: size + 1 })
  const edges = found.slice(0, size).map((node) => ({ node, cursor: encodeCursor(order.name, order.key(node)) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: found.length > size,
      hasPreviousPage: isContinued,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: count,
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

builder.globalConnectionField('totalCount', (t) =>
  t.int({
    description: 'How many there are in all; counted only if asked for.',
    resolve: ({ totalCount }) => totalCount(),
  }),
)
