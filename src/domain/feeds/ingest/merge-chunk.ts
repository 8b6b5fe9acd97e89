import { readQuery } from '../../../db/query.ts'
import { queryRows } from '../../../db/sql.ts'
import type { RunContext } from '../../runs/context.ts'
import type { Chunk } from './chunk.ts'
import { copyRows, type Staging } from './copy-rows.ts'
import type { FeedRow } from './feed-row.ts'

/** What tells the rows of a chunk apart, and whether they say something new. */
const keys: Staging = {
  table: 'pg_temp.feed_keys',
  columns: {
    n: 'int4',
    identity_type: 'text',
    identity_value: 'text',
    url_hash: 'bytea',
    folded_hash: 'bytea',
    version_hash: 'bytea',
    signature: 'bytea',
  },
}

/** What they say. */
const rows: Staging = {
  table: 'pg_temp.feed_rows',
  columns: {
    n: 'int4',
    line: 'int4',
    amount: 'numeric',
    original_price: 'numeric',
    in_stock: 'bool',
    currency: 'text',
    title: 'text',
    link: 'text',
    url: 'text',
    image_url: 'text',
    brand: 'text',
    category: 'text',
    upc: 'text',
    item_id: 'text',
    sku: 'text',
    promo: 'jsonb',
  },
}

const keyOf = (row: FeedRow, n: number) => [
  n,
  row.identity.type,
  row.identity.value,
  row.urlHash,
  row.foldedHash,
  row.versionHash,
  row.signature,
]

const rowOf = (row: FeedRow, n: number) => [
  n,
  row.line,
  row.amount,
  row.originalAmount,
  row.inStock,
  row.currency,
  row.title,
  row.link,
  row.url,
  row.imageUrl,
  row.brand,
  row.category,
  row.upc,
  row.itemId,
  row.sku,
  row.promo,
]

const ingest = readQuery('ingest_feed_chunk')

type Options = {
  number: number
  /** Ask first which rows have anything to write, and send only those: pays where most of the file is known (RULINGS 29). */
  isProbed: boolean
  now: Date
}

/** Writes one chunk of a run, in one transaction. Answers how many products it met for the first time in this run. */
export async function mergeChunk(run: RunContext, chunk: Chunk, { number, isProbed, now }: Options): Promise<number> {
  const all = Array.from(chunk.rows.values())
  return run.transaction(async () => {
    await copyRows(run.sql, keys, all.map(keyOf))
    const wanted = isProbed ? await probe(run, now) : all.keys()
    await copyRows(
      run.sql,
      rows,
      Array.from(wanted, (n) => rowOf(all[n] as FeedRow, n)),
    )
    if (Object.keys(chunk.totals).length > 0) await run.sampleErrors(chunk)
    const values = [run.runId, run.attempt, number, isProbed, JSON.stringify(chunk.counters), now]
    const [answer] = await queryRows<{ products: number }>(run.sql, ingest, values)
    return answer?.products ?? 0
  })
}

async function probe(run: RunContext, now: Date): Promise<number[]> {
  const statement = 'select freshet.probe_feed_chunk($1, $2) as wanted'
  const [answer] = await queryRows<{ wanted: number[] }>(run.sql, statement, [run.runId, now])
  return answer?.wanted ?? []
}
