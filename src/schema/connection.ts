import { DomainError, refuse } from '../domain/errors.ts'
import { builder } from './builder.ts'

export const defaultPageSize = 20
export const maxPageSize = 100

/** A place in a list: the values that its order compares, the last of which is unique. */
type Key = readonly (string | bigint)[]
export type PageArgs = { first?: number | null | undefined; after?: string | null | undefined }
export type Page<Row> = {
  edges: { cursor: string; node: Row }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: () => Promise<number>
}

/** One order of a list: its name (cursors of another order are refused), the place of a row, and the rows behind a place. */
export type Order<Row, Where, OrderBy> = {
  name: string
  key: (row: Row) => Key
  behind: (key: Key) => Where
  orderBy: OrderBy[]
}

type Query<Where, OrderBy> = { where: { AND: Where[] }; orderBy: OrderBy[]; take: number }

/**
 * Reads one page by its key, never by an offset: rows that come or go between two pages shift nothing. It reads one row
 * more than asked for, to know whether there is a next page; the total is counted only if the client asks for it.
 */
export async function readPage<Row, Where, OrderBy>(
  args: PageArgs,
  order: Order<Row, Where, OrderBy>,
  where: Where,
  read: { rows: (query: Query<Where, OrderBy>) => Promise<Row[]>; count: (where: Where) => Promise<number> },
): Promise<Page<Row>> {
  const first = args.first ?? defaultPageSize
  refusePageSize(first)
  const place = args.after ? [order.behind(decodeCursor(order.name, args.after))] : []
  const found = await read.rows({ where: { AND: [where, ...place] }, orderBy: order.orderBy, take: first + 1 })
  const edges = found.slice(0, first).map((node) => ({ node, cursor: encodeCursor(order.name, order.key(node)) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: found.length > first,
      hasPreviousPage: Boolean(args.after),
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: () => read.count(where),
  }
}

export function refusePageSize(first: number): void {
  if (first < 1 || first > maxPageSize)
    refuse([{ field: 'first', message: `must be from 1 to ${maxPageSize}, not ${first}.` }])
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

/** `totalCount`, for a connection's own fields. */
export const totalCount = <Row>(page: Page<Row>) => page.totalCount()

function encodeCursor(order: string, key: Key): string {
  return Buffer.from(
    JSON.stringify([order, ...key.map((part) => (typeof part === 'bigint' ? { n: String(part) } : part))]),
  ).toString('base64url')
}

function decodeCursor(order: string, cursor: string): Key {
  try {
    const [name, ...parts] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (name === order && parts.length > 0) return parts.map(toKeyPart)
  } catch {
    // said below
  }
  throw new DomainError('BAD_USER_INPUT', 'after: is not a cursor of this list in this order.', {
    field: 'after',
    hint: 'Use the `endCursor` of a page that was asked for with the same `orderBy`, or leave `after` out to begin anew.',
  })
}

function toKeyPart(part: unknown): string | bigint {
  if (typeof part === 'string') return part
  if (typeof part === 'object' && part && 'n' in part && /^\d{1,19}$/.test(String(part.n)))
    return BigInt(String(part.n))
  throw new TypeError('not a part of a cursor')
}
