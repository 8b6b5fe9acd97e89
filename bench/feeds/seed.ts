import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { parse } from 'csv-parse'
import type pg from 'pg'
import { transact } from '../../src/db/transaction.ts'
import { seedRow, type SeedRow } from './seed-row.ts'

const chunkSize = 1_000
const heartbeatMs = 24 * 3_600_000

const upsertProducts = `
  insert into seed.source_products (
    id, source_id, identity_type, identity_value, title, url, image_url, impact_item_id, normalized_url_hash, created_by_run_id,
    last_updated_by_run_id
  )
  select gen_random_uuid()::text, $1, r.*, $2, $2
  from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[]) r
  on conflict (source_id, identity_type, identity_value) do update
  set title = excluded.title, url = excluded.url, image_url = excluded.image_url, impact_item_id = excluded.impact_item_id,
    normalized_url_hash = excluded.normalized_url_hash, last_updated_by_run_id = excluded.last_updated_by_run_id,
    updated_at = now()
  returning id, identity_type, identity_value`

const upsertPresence = `
  insert into seed.source_product_presence (id, source_product_id, last_seen_at)
  select gen_random_uuid()::text, id, $2 from unnest($1::text[]) id
  on conflict (source_product_id) do update set last_seen_at = excluded.last_seen_at, updated_at = now()`

const insertSeen = `
  insert into seed.source_product_seen (id, run_id, source_product_id)
  select gen_random_uuid()::text, $1, id from unnest($2::text[]) id on conflict (run_id, source_product_id) do nothing`

const lastPrices = `
  select distinct on (source_product_id) source_product_id as id, created_at as at, price_signature_hash as signature
  from seed.prices where source_product_id = any ($1::text[])
  order by source_product_id, created_at desc`

const insertPrices = `
  insert into seed.prices (
    id, source_product_id, price_amount, currency, created_at, affiliate_feed_run_id, price_signature_hash
  )
  select gen_random_uuid()::text, p.id, p.amount, p.currency, $1, $2, p.signature
  from unnest($3::text[], $4::numeric[], $5::text[], $6::text[]) p (id, amount, currency, signature)
  on conflict do nothing`

type LastPrice = { at: Date; signature: string }
type Product = { id: string; row: SeedRow }

/** The peer: S2 §4.2.1 written straightforwardly, chunk after chunk, with its cache of last prices. */
export async function openSeed(pool: pg.Pool) {
  await pool.query(await readFile(new URL('seed.sql', import.meta.url), 'utf8'))
  const client = await pool.connect()

  /** Takes a file in and answers how long that took, in milliseconds. */
  async function ingest(handle: FileHandle, now: Date): Promise<number> {
    const started = performance.now()
    const runId = randomUUID()
    await client.query('insert into seed.runs values ($1)', [runId])
    const cache = new Map<string, LastPrice>()
    let rows: SeedRow[] = []
    const write = async () => {
      const last = Array.from(new Map(rows.map((row) => [`${row.type} ${row.value}`, row])).values())
      rows = []
      await transact(client, () => writeChunk(client, runId, last, cache, now))
    }
    const file = handle.createReadStream({ start: 0 })
    for await (const fields of file.pipe(createGunzip()).pipe(parse({ from_line: 2 })) as AsyncIterable<string[]>) {
      const row = seedRow(fields)
      if (row) rows.push(row)
      if (rows.length === chunkSize) await write()
    }
    if (rows.length > 0) await write()
    return performance.now() - started
  }

  return { ingest, [Symbol.asyncDispose]: async () => client.release() }
}

async function writeChunk(
  client: pg.PoolClient,
  runId: string,
  rows: SeedRow[],
  cache: Map<string, LastPrice>,
  now: Date,
): Promise<void> {
  const products = await resolve(client, runId, rows)
  const ids = products.map(({ id }) => id)
  await client.query(upsertPresence, [ids, now])
  await client.query(insertSeen, [runId, ids])
  const unknown = ids.filter((id) => !cache.has(id))
  const { rows: found } = await client.query<LastPrice & { id: string }>(lastPrices, [unknown])
  for (const { id, ...price } of found) cache.set(id, price)
  const wanted = products.filter(({ id, row }) => isNews(cache.get(id), row, now))
  for (const { id, row } of wanted) cache.set(id, { at: now, signature: row.signature })
  if (wanted.length === 0) return
  const columns = [
    wanted.map(({ id }) => id),
    wanted.map(({ row }) => row.amount),
    wanted.map(({ row }) => row.currency),
    wanted.map(({ row }) => row.signature),
  ]
  await client.query(insertPrices, [now, runId, ...columns])
}

async function resolve(client: pg.PoolClient, runId: string, rows: SeedRow[]): Promise<Product[]> {
  const { rows: found } = await client.query<{ id: string; identity_type: string; identity_value: string }>(
    upsertProducts,
    [
      'source',
      runId,
      rows.map(({ type }) => type),
      rows.map(({ value }) => value),
      rows.map(({ title }) => title),
      rows.map(({ url }) => url),
      rows.map(({ image }) => image),
      rows.map(({ type, value }) => (type === 'IMPACT_ITEM_ID' ? value : null)),
      rows.map(({ urlHash }) => urlHash),
    ],
  )
  const ids = new Map(found.map((row) => [`${row.identity_type} ${row.identity_value}`, row.id]))
  return rows.map((row) => ({ id: ids.get(`${row.type} ${row.value}`) as string, row }))
}

function isNews(last: LastPrice | undefined, row: SeedRow, now: Date): boolean {
  if (!last || last.signature !== row.signature) return true
  return now.getTime() - last.at.getTime() >= heartbeatMs
}
