import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startTestApp } from '../support/app.ts'
import { statementsOf, withoutKeyLookup } from '../support/statements.ts'

const app = await startTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { pool } = app
const key = app.firstKey

beforeEach(() => pool.query('truncate freshet.sources, freshet.retailers cascade'))

type Page = {
  nodes: { name: string; slug: string }[]
  edges: { cursor: string; node: { slug: string } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
}
type Args = { first?: number | null; after?: string | null; orderBy?: 'NAME' | 'NEWEST' | null; filter?: object }

const document = `query ($first: Int, $after: String, $orderBy: RetailerOrderBy, $filter: RetailerFilter) {
  retailers(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
    nodes { name slug } edges { cursor node { slug } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

async function page(args: Args): Promise<Page> {
  const { data, errors } = await app.ask<{ retailers: Page }>(document, args)
  expect(errors).toBeUndefined()
  return data!.retailers
}

async function insert(...names: string[]): Promise<void> {
  const sql =
    "insert into freshet.retailers (slug, name) select 'r' || nextval('freshet.retailers_id_seq'), n from unnest($1::text[]) with ordinality as g(n, i) order by i"
  await pool.query(sql, [names])
}
const slugsInOrder = async (order: string) =>
  (await pool.query<{ slug: string }>(`select slug from freshet.retailers order by ${order}`)).rows.map(
    ({ slug }) => slug,
  )

/** All pages from the first to the last, of the sizes given in turn. */
async function walk(sizes: number[], args: Args = {}): Promise<string[]> {
  const slugs: string[] = []
  for (let turn = 0, after: string | null = null; ; turn++) {
    const { nodes, edges, pageInfo } = await page({ ...args, first: sizes[turn % sizes.length]!, after })
    slugs.push(...nodes.map(({ slug }) => slug))
    expect(edges.map(({ node }) => node.slug)).toEqual(nodes.map(({ slug }) => slug))
    expect(pageInfo).toMatchObject({
      hasPreviousPage: turn > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    })
    if (!pageInfo.hasNextPage) return slugs
    after = pageInfo.endCursor
  }
}

// Names that collations order in surprising ways: case, accents, punctuation, widths, combining marks, equal prefixes.
const oddName = fc
  .array(
    fc.constantFrom(
      'a',
      'A',
      'b',
      'B',
      'ä',
      'Ä',
      'a\u0308',
      'ß',
      'ss',
      'z',
      'Z',
      '-',
      ' ',
      '.',
      '_',
      '%',
      '\\',
      '0',
      '10',
      '2',
      'ａ',
      '中',
      '😀',
      "'",
      'İ',
      'ı',
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
  .filter((name) => name.trim() !== '')

test('pages of any size, one after the other, are the whole list in the order of the database', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(oddName, { maxLength: 14 }), sizes, async (names, pageSizes) => {
      await pool.query('truncate freshet.sources, freshet.retailers cascade')
      await insert(...names)
      expect(await walk(pageSizes)).toEqual(await slugsInOrder('name, id'))
      expect(await walk(pageSizes, { orderBy: 'NEWEST' })).toEqual(await slugsInOrder('id desc'))
    }),
    { numRuns: 25 },
  )
})

test('rows that come and go between two pages shift nothing', async () => {
  await insert('b', 'd', 'f', 'h')
  const first = await page({ first: 2 })
  expect(first.nodes.map(({ name }) => name)).toEqual(['b', 'd'])
  await insert('a', 'c', 'e')
  await pool.query("delete from freshet.retailers where name = 'f'")
  const second = await page({ first: 2, after: first.pageInfo.endCursor })
  expect(second.nodes.map(({ name }) => name)).toEqual(['e', 'h'])
})

test.each(['NAME', 'NEWEST'] as const)(
  'a cursor holds its place when its own row is deleted, by %s',
  async (orderBy) => {
    await insert('a', 'b', 'b', 'c')
    const whole = await slugsInOrder(orderBy === 'NAME' ? 'name, id' : 'id desc')
    const first = await page({ first: 2, orderBy })
    await pool.query('delete from freshet.retailers where slug = $1', [whole[1]])
    const second = await page({ first: 5, orderBy, after: first.pageInfo.endCursor })
    expect(second.nodes.map(({ slug }) => slug)).toEqual(whole.slice(2))
  },
)

test('a cursor may be taken from any edge, not only the last', async () => {
  await insert('a', 'b', 'c')
  const { edges } = await page({})
  const { nodes } = await page({ after: edges[0]!.cursor })
  expect(nodes.map(({ name }) => name)).toEqual(['b', 'c'])
})

test.each([1, 100])('takes first: %i', async (first) => {
  await insert(...Array.from({ length: 101 }, (_, index) => `shop ${index}`))
  const { nodes, pageInfo } = await page({ first })
  expect([nodes.length, pageInfo.hasNextPage]).toEqual([first, true])
})

test.each([undefined, null])('gives 20 where first is %s', async (first) => {
  await insert(...Array.from({ length: 21 }, (_, index) => `shop ${index}`))
  const { nodes, pageInfo } = await page(first === undefined ? {} : { first })
  expect([nodes.length, pageInfo.hasNextPage]).toEqual([20, true])
})

test('a page that ends with the list has no next one', async () => {
  await insert('a', 'b')
  expect((await page({ first: 2 })).pageInfo.hasNextPage).toBe(false)
})

test('an empty list has an empty page without cursors', async () => {
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null }
  expect(await page({})).toEqual({ nodes: [], edges: [], pageInfo })
})

test.each(['retailers', 'sources', 'apiKeys', 'auditLog'])('%s refuses first: 0, 101 and -1', async (list) => {
  for (const first of [0, 101, -1]) {
    const { data, errors } = await app.ask(`{ ${list}(first: ${first}) { nodes { id } } }`, {}, { key })
    expect(data).toBeNull()
    expect(errors?.[0]).toMatchObject({
      message: `first: must be from 1 to 100, not ${first}.`,
      extensions: { code: 'BAD_USER_INPUT', field: 'first' },
    })
  }
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.each([
  ['an empty text', ''],
  ['text', 'next page, please'],
  ['JSON that is no list', encode('x')],
  ['a number', encode(5)],
  ['null', encode(null)],
  ['an empty list', encode([])],
  ['no place', encode(['retailers.NAME'])],
  ['half a place', encode(['retailers.NAME', 'a'])],
  ['too much of a place', encode(['retailers.NAME', 'a', '1', '2'])],
  ['a row that is no number', encode(['retailers.NAME', 'a', 'b'])],
  ['a negative row', encode(['retailers.NAME', 'a', '-1'])],
  ['a row beyond all numbers', encode(['retailers.NAME', 'a', '9223372036854775808'])],
  ['a place that is no text', encode(['retailers.NAME', 1, '1'])],
  ['a NUL character', encode(['retailers.NAME', 'a\u0000', '1'])],
  ['half a surrogate pair', encode(['retailers.NAME', '\ud800', '1'])],
  ['the other order', encode(['retailers.NEWEST', '1'])],
  ['another list', encode(['sources.NAME', 'a', '1'])],
  ['something behind it', `${encode(['retailers.NAME', 'a', '1'])}!`],
])('refuses a cursor that is %s', async (_what, after) => {
  const { data, errors } = await app.ask(document, { after })
  expect(data).toBeNull()
  expect(errors?.[0]).toMatchObject({
    message: 'after: is not a cursor of this list in this order.',
    extensions: { code: 'BAD_USER_INPUT', field: 'after', hint: expect.stringContaining('endCursor') as string },
  })
})

test('refuses the cursor of one list in another, though both are newest first', async () => {
  const { data } = await app.ask<{ auditLog: Page }>('{ auditLog { pageInfo { endCursor } } }', {}, { key })
  const after = data!.auditLog.pageInfo.endCursor
  const { errors } = await app.ask(
    'query ($after: String) { apiKeys(after: $after) { nodes { id } } }',
    { after },
    { key },
  )
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'after' })
})

test('looks for part of a name, upper or lower case, with % and _ as they are', async () => {
  await insert('50 % Shop', 'Shop_1', 'Shop 21', 'Other \\ shop')
  const found = async (q: string) => (await page({ filter: { q } })).nodes.map(({ name }) => name)
  expect(await found('SHOP')).toHaveLength(4)
  expect(await found('%')).toEqual(['50 % Shop'])
  expect(await found('_')).toEqual(['Shop_1'])
  expect(await found('\\')).toEqual(['Other \\ shop'])
  expect(await found('nothing')).toEqual([])
})

test('filters combine, and an empty one is no filter', async () => {
  await pool.query(
    "insert into freshet.retailers (slug, name, domain) values ('a', 'Shop', 'shop.example'), ('b', 'Shop', 'other.example'), ('c', 'Store', 'shop.example')",
  )
  const found = async (filter: object) => (await page({ filter })).nodes.map(({ slug }) => slug)
  expect(await found({ q: 'shop', domain: 'shop.example' })).toEqual(['a'])
  expect(await found({ slug: 'b' })).toEqual(['b'])
  expect(await found({ slug: 'b', domain: 'shop.example' })).toEqual([])
  expect(await found({ slug: '' })).toEqual([])
  expect(await found({ q: null, slug: null, domain: null })).toEqual(['a', 'b', 'c'])
  expect(await found({})).toEqual(['a', 'b', 'c'])
})

const count = async (query: string) => withoutKeyLookup(await statementsOf(() => app.ask(query, {}, { key })))

test('the total is counted only when it is asked for, and then under the same filter', async () => {
  await insert('a', 'b', 'c')
  expect(await count('{ retailers { nodes { id } } }')).toHaveLength(1)
  const counted = await count('{ retailers(first: 1, filter: { q: "b" }) { totalCount nodes { id } } }')
  expect(counted.filter((text) => /count\(/i.test(text))).toHaveLength(1)
  expect(counted).toHaveLength(2)
  const { data } = await app.ask('{ retailers(first: 1) { totalCount } b: retailers(filter: {q: "b"}) { totalCount } }')
  expect(data).toEqual({ retailers: { totalCount: 3 }, b: { totalCount: 1 } })
})

async function insertWithSources(retailers: number): Promise<void> {
  await insert(...Array.from({ length: retailers }, (_, index) => `shop ${index}`))
  await pool.query(
    "insert into freshet.sources (retailer_id, name, kind) select r.id, k, k::freshet.source_kind from freshet.retailers r, unnest(array['DIRECT', 'SCRAPE']) k on conflict do nothing",
  )
}

// Two statements each: the rows with all their relations, and whether the sources are visible.
test.each([
  [
    'retailers with their sources and whether each is visible',
    '{ retailers(first: 50) { nodes { name sources { name visibility { visible reason } retailer { name } } } } }',
  ],
  [
    'the same by way of edges and nodes at once',
    '{ retailers(first: 50) { nodes { sources { name } } edges { node { sources { visibility { reason } } } } } }',
  ],
  ['sources with their retailers', '{ sources(first: 50) { nodes { visibility { reason } retailer { name } } } }'],
])('%s take two statements, for one as for fifty', async (_what, query) => {
  await insertWithSources(1)
  expect(await count(query)).toHaveLength(2)
  await insertWithSources(49)
  expect(await count(query)).toHaveLength(2)
  const { errors } = await app.ask(query, {}, { key })
  expect(errors).toBeUndefined()
})

test('a retailer shows its sources by name, a hundred of them', async () => {
  await insert('shop')
  await pool.query(
    "insert into freshet.sources (retailer_id, name) select r.id, 'source ' || lpad(n::text, 3, '0') from freshet.retailers r, generate_series(1, 101) n",
  )
  const { data } = await app.ask<{ retailers: { nodes: { sources: { name: string }[] }[] } }>(
    '{ retailers { nodes { sources { name } } } }',
    {},
    { key },
  )
  const names = data!.retailers.nodes[0]!.sources.map(({ name }) => name)
  expect([names.length, names[0], names.at(-1)]).toEqual([100, 'source 001', 'source 100'])
})
