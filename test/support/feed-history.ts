import type { TestDatabase } from './database.ts'
import { aFeedOf, type Feed, type openAttempts } from './feed-base.ts'
import { impactCsv, type Product } from './feed-files.ts'
import type { startSftpServer } from './sftp-server.ts'

/** A shop as it drifts from day to day: prices move a little, texts are put right, products come and go. */
export function driftingShop(count: number, random: () => number) {
  let made = 0
  const newProduct = (): Product => {
    made++
    return { id: `d${made}`, title: `Product ${made}`, price: priceOf(5 + random() * 400), stock: 'InStock' }
  }
  let products = Array.from({ length: count }, newProduct)
  return {
    /** What stands in its file today. */
    products: () => products,
    /** One night: about 1 in 200 goes, as many come, 1 in 20 changes its price by up to a quarter, 1 in 100 its title or stock. */
    sleep() {
      products = products.filter(() => random() > 0.005)
      while (products.length < count) products.push(newProduct())
      products = products.map((product) => {
        const dice = random()
        if (dice < 0.05) return { ...product, price: priceOf(Number(product.price) * (0.8 + random() * 0.45)) }
        if (dice < 0.055) return { ...product, title: `${product.title ?? ''}.` }
        if (dice < 0.06) return { ...product, stock: product.stock === 'InStock' ? 'OutOfStock' : 'InStock' }
        return product
      })
    },
  }
}

/** In whole cents, so that nothing is rounded on its way. */
const priceOf = (amount: number): string => (Math.max(1, Math.round(amount * 100)) / 100).toFixed(2)

/** What goes wrong with a day's file: so many of a thousand of its products are missing, or it is something else. */
export type Spoiled = { gone: number } | { file: string } | { times: number }

/** What is to become of a file. */
export type Verdict =
  | 'SHOWN'
  | 'SPIKE_THRESHOLD_EXCEEDED'
  | 'PRICE_SPIKE_THRESHOLD_EXCEEDED'
  | 'DATA_QUALITY_NO_USABLE_ROWS'
  | `FAILED ${string}`

/** Days on which something goes wrong, and what must become of each. */
export const mishaps: [what: string, spoiled: Spoiled, verdict: Verdict][] = [
  ['29.9 % gone', { gone: 299 }, 'SHOWN'],
  ['30 % gone', { gone: 300 }, 'SHOWN'],
  ['30.1 % gone', { gone: 301 }, 'SPIKE_THRESHOLD_EXCEEDED'],
  ['header only', { file: impactCsv([]) }, 'DATA_QUALITY_NO_USABLE_ROWS'],
  ['empty', { file: '' }, 'FAILED FEED_EMPTY'],
  [
    'an HTML error page',
    { file: '<!doctype html><html><title>503 Service Unavailable</title><body>Try later' },
    'FAILED FEED_NOT_CSV',
  ],
  ['all prices × 100', { times: 100 }, 'PRICE_SPIKE_THRESHOLD_EXCEEDED'],
]

/** The products of a spoiled day's file. */
export function spoil(products: Product[], spoiled: Spoiled): Product[] {
  if ('gone' in spoiled) return products.slice(spoiled.gone)
  if ('times' in spoiled)
    return products.map((product) => ({ ...product, price: priceOf(Number(product.price) * spoiled.times) }))
  return []
}

const dayMs = 24 * 3_600_000
const expiryMs = 48 * 3_600_000
/** Long enough that whatever went missing before is not active any more. */
const calmDays = 3

type Stand = { database: TestDatabase; server: Awaited<ReturnType<typeof startSftpServer>>; attempts: Attempts }

/**
 * Plays days of a shop's feed, some of which go wrong, and holds what consumers see against a model: what a shown run saw, for as
 * long as it lives. `mishapEvery`: so many days lie between the beginnings of two.
 */
export async function replay({ database, server, attempts }: Stand, { days, mishapEvery, random }: Plan) {
  const feed = await aFeedOf(database, server)
  const shop = driftingShop(1_000, random)
  const shown = new Map<string, { product: Product; seenAt: number }>()
  const start = Date.UTC(2026, 0, 1)
  const figures = { days: 0, asExpected: 0, wrong: [] as string[], vanished: 0 }

  const alive = (since: number) =>
    [...shown.values()].filter(({ seenAt }) => seenAt >= since).map(({ product }) => product)
  const isSame = async (products: Product[], now: Date) => {
    const seen = await visibleRows(database, feed, now)
    const wanted = products.map(({ id, title, price, stock }) =>
      [id, title, price, stock === 'InStock' ? 't' : 'f'].join(' '),
    )
    return JSON.stringify(seen) === JSON.stringify(wanted.toSorted())
  }
  let held: number | undefined
  for (let day = 0; day < days; day++) {
    const now = new Date(start + day * dayMs)
    const turn = day % mishapEvery
    const isCalm = turn >= mishapEvery - calmDays - 1
    if (day > 0 && !isCalm) shop.sleep()
    const [what, spoiled, wanted] =
      turn === mishapEvery - 1
        ? mishaps[Math.floor(day / mishapEvery) % mishaps.length]!
        : (['a usual day', { gone: 0 }, 'SHOWN'] as const)
    const products = spoil(shop.products(), spoiled)
    server.serve(Buffer.from('file' in spoiled ? spoiled.file : impactCsv(products)), now)

    // Until it is decided otherwise, what a block holds does not age.
    const before = alive(now.getTime() - expiryMs - (held === undefined ? 0 : now.getTime() - held))
    if (!(await isSame(before, now))) figures.vanished++
    const verdict = await verdictOf(database, await attempts.attempt(feed, { now }))
    if (verdict.said === 'SHOWN') {
      for (const product of products) shown.set(product.id, { product, seenAt: now.getTime() })
      held = undefined
    } else if (!verdict.said.startsWith('FAILED')) held ??= now.getTime()
    const after = verdict.said === 'SHOWN' ? alive(now.getTime() - expiryMs) : before
    const isStaged = verdict.prices > 0
    const isAsWanted =
      verdict.said === wanted &&
      (await isSame(after, now)) &&
      (!('times' in spoiled) || isStaged) &&
      (!('file' in spoiled) || !isStaged)
    figures.days++
    if (isAsWanted) figures.asExpected++
    else figures.wrong.push(`day ${day}, ${what}: ${JSON.stringify(verdict)}, not ${wanted}`)
  }
  return figures
}

type Plan = { days: number; mishapEvery: number; random: () => number }
type Attempts = Awaited<ReturnType<typeof openAttempts>>

async function visibleRows({ pool }: TestDatabase, { sourceId }: Feed, now: Date): Promise<string[]> {
  const sql = `select concat_ws(' ', o.identity_value, v.title, v.price, v.in_stock) as row
    from freshet.visible_offers($2) v join freshet.offers o on o.id = v.offer_id where v.source_id = $1`
  const { rows } = await pool.query<{ row: string }>(sql, [sourceId, now])
  return rows.map(({ row }) => row).toSorted()
}

/** What became of a run, and how many prices it wrote. */
async function verdictOf(
  { pool }: TestDatabase,
  { jobId }: { jobId: string },
): Promise<{ said: string; prices: number }> {
  const sql = `select case when r.status = 'FAILED' then 'FAILED ' || r.error_code else coalesce(f.block_reasons[1]::text, 'SHOWN') end as said,
      (select count(*)::int from freshet.prices p where p.run_id = r.id) as prices
    from freshet.runs r join freshet.feed_runs f on f.run_id = r.id where r.job_id = $1`
  const { rows } = await pool.query<{ said: string; prices: number }>(sql, [jobId])
  return rows[0]!
}
