import { createHash, randomUUID } from 'node:crypto'
import { insertRow, type Queryable } from './rows.ts'

type Columns = Record<string, unknown>

/** A feed of a source, by default enabled and with a place that its file could lie at. */
export async function aFeed(db: Queryable, sourceId: string, columns: Columns = {}): Promise<string> {
  const place = { host: 'feeds.example', path: '/catalog.csv', username: 'shop' }
  const secret = { secret_ciphertext: Buffer.alloc(40), secret_key_id: '0000000000000000' }
  return insertRow(db, 'feeds', { source_id: sourceId, status: 'ENABLED', ...place, ...secret, ...columns })
}

/** A run of a source's feed that has ended well; with `shown`, what it saw was promoted at its end. */
export async function aFeedRun(
  db: Queryable,
  sourceId: string,
  {
    at = new Date(),
    shown = true,
    trigger = 'SCHEDULED',
    columns = {},
  }: { at?: Date; shown?: boolean; trigger?: string; columns?: Columns } = {},
): Promise<string> {
  const times = { started_at: at, updated_at: at, finished_at: at }
  const run = { source_id: sourceId, kind: 'FEED', trigger, status: 'SUCCEEDED', ...times }
  const id = await insertRow(db, 'runs', run)
  const rest = Object.entries(columns)
  const places = rest.map((_, index) => `$${index + 3}`)
  await db.query(
    `insert into freshet.feed_runs (${['run_id', 'feed_id', 'place', ...rest.map(([name]) => name)].join(', ')})
     values ($1, (select id from freshet.feeds where source_id = $2), ${["nextval('freshet.feed_run_places')", ...places].join(', ')})`,
    [id, sourceId, ...rest.map(([, value]) => value)],
  )
  if (shown)
    await insertRow(db, 'promotions', { source_id: sourceId, run_id: id, set_run_id: id, at, kind: 'PROMOTED' })
  return id
}

export type OfferColumns = {
  title?: string
  price?: string
  originalPrice?: string | null
  currency?: string
  inStock?: boolean
  brand?: string | null
  upc?: string | null
  link?: string
  /** When it was last seen by a run that was shown. */
  at?: Date
  /** A price that is held back beside the one shown. */
  heldPrice?: string
  runId?: string
}

/** An offer of a source that a run showed, with its version, its price and its row in `current_offers`. Answers its id. */
export async function anOffer(db: Queryable, sourceId: string, given: OfferColumns = {}): Promise<string> {
  const { title = 'An offer', price = '12.99', currency = 'USD', inStock = true, at = new Date() } = given
  const { originalPrice = null, brand = null, upc = null, heldPrice } = given
  const runId = given.runId ?? (await aFeedRun(db, sourceId, { at }))
  const key = randomUUID()
  const url = `https://shop.example/${key}`
  const hash = createHash('sha256').update(key).digest()
  const identity = { identity_type: 'SKU', identity_value: key, url_hash: hash, folded_hash: hash }
  const pointers = { version_run_id: runId, version_hash: hash, price, currency, priced_at: at }
  const id = await insertRow(db, 'offers', { source_id: sourceId, created_at: at, ...identity, ...pointers })
  const said = { title, link: given.link ?? url, url, brand, upc, original_price: originalPrice, in_stock: inStock }
  await write(db, 'offer_presence', { offer_id: id, last_seen_at: at, last_seen_success_at: at })
  await write(db, 'offer_versions', { offer_id: id, run_id: runId, line: 2, hash, ...said })
  await aPrice(db, id, { runId, amount: price, currency, at })
  if (heldPrice) await aPrice(db, id, { runId, amount: heldPrice, currency, at, isHeld: true })
  await write(db, 'current_offers', {
    offer_id: id,
    source_id: sourceId,
    version_run_id: runId,
    price,
    currency,
    ...said,
  })
  return id
}

/** A price that a run observed. */
export async function aPrice(
  db: Queryable,
  offerId: string,
  given: { runId: string | null; amount: string; currency?: string; at?: Date; isHeld?: boolean; reason?: string },
): Promise<string> {
  const { runId, amount, currency = 'USD', at = new Date(), isHeld = false, reason = 'NEW' } = given
  const signature = createHash('sha256').update(`${amount} ${currency}`).digest()
  const row = { offer_id: offerId, run_id: runId, created_at: at, line: 2, amount, currency, reason, is_held: isHeld }
  return insertRow(db, 'prices', { ...row, signature })
}

async function write(db: Queryable, table: string, row: Columns): Promise<void> {
  const names = Object.keys(row)
  const places = names.map((_, index) => `$${index + 1}`)
  await db.query(`insert into freshet.${table} (${names.join(', ')}) values (${places.join(', ')})`, Object.values(row))
}
