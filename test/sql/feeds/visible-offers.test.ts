import { afterAll, expect, test } from 'vitest'
import { cloneDatabase } from '../../support/database.ts'
import { products } from '../../support/feed-products.ts'
import { hour, openFeedRuns } from '../../support/feed-runs.ts'
import { aSource } from '../../support/rows.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const feeds = await openFeedRuns(database)
afterAll(() => feeds[Symbol.asyncDispose]())

const large = await feeds.aFeed()
await feeds.run(large, products(3_000))
await feeds.pool.query('analyze freshet.current_offers, freshet.offer_presence, freshet.sources')

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Function Name'?: string
  'Actual Rows'?: number
  Plans?: Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
const planOf = async (sql: string): Promise<Plan[]> => {
  const { rows } = await feeds.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(`explain (analyze, format json) ${sql}`, [
    hour(1),
  ])
  return nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan)
}

test.each([
  ['a page by id', 'select * from freshet.visible_offers($1) order by offer_id limit 20', 'current_offers_pkey'],
  [
    'a page by price',
    'select * from freshet.visible_offers($1) order by price, offer_id limit 20',
    'current_offers_price_idx',
  ],
  [
    'one offer',
    `select * from freshet.visible_offers($1) where offer_id = (select max(id) from freshet.offers)`,
    'current_offers_pkey',
  ],
  ['a barcode', "select * from freshet.visible_offers($1) where upc = '020892215513'", 'current_offers_upc_idx'],
])(
  'RULINGS 17: visible_offers is inlined: %s reads by its index and no further than it must',
  async (_what, sql, index) => {
    const nodes = await planOf(sql)
    expect(nodes.filter(({ 'Node Type': type }) => type === 'Function Scan')).toEqual([])
    const scan = nodes.find(({ 'Index Name': name }) => name === index)
    expect(scan?.['Actual Rows']).toBeLessThanOrEqual(20)
  },
)

test('RULINGS 22, S2 §13.3: visible_sources and Source.visibility say the same of every kind of source', async () => {
  for (const kind of ['DIRECT', 'AFFILIATE_FEED', 'SCRAPE'])
    for (const visibility of ['ELIGIBLE', 'INELIGIBLE'])
      for (const isPrimary of [true, false])
        for (const hasOther of isPrimary ? [false] : [true, false]) {
          const { retailerId } = await feeds.aFeed({}, { kind: 'OTHER', is_display_primary: hasOther })
          await aSource(feeds.pool, retailerId, { kind, visibility_status: visibility, is_display_primary: isPrimary })
        }
  const disagreeing = await feeds.rowsOf(
    `select s.kind, s.visibility_status, v.reason from freshet.sources s
     cross join lateral freshet.source_visibility(array[s.id]) v
     where v.visible <> exists (select from freshet.visible_sources($1) x where x.source_id = s.id)`,
    hour(0),
  )
  expect(disagreeing).toEqual([])
  const [counted] = await feeds.rowsOf<{ shown: number; all: number }>(
    `select (select count(*)::int from freshet.visible_sources($1)) as shown, count(*)::int as all from freshet.sources`,
    hour(0),
  )
  expect(counted?.shown).toBeGreaterThan(3)
  expect(counted?.all).toBeGreaterThan(counted!.shown + 3)
})

test('visible_sources gives each source the moment that active_since does, held or not', async () => {
  const held = await feeds.aFeed()
  await feeds.run(held, products(20))
  await feeds.run(held, products(5), { at: 10 })
  const wrong = await feeds.rowsOf(
    'select from freshet.visible_sources($1) v where v.since is distinct from freshet.active_since(v.source_id, $1)',
    hour(100),
  )
  expect(wrong).toEqual([])
  expect(await feeds.visible(held, 100)).toHaveLength(20)
})
