import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from } from 'pg-copy-streams'
import { encodeRows } from '../../src/domain/feeds/ingest/binary-rows.ts'
import { openTable, readChunks } from '../../src/domain/feeds/ingest/read-chunks.ts'
import { keyOf, keys, rowOf, rows as fields } from '../../src/domain/feeds/ingest/staging.ts'
import { feedsUpTo, hour, type Stand } from './stand.ts'
import type { FeedFiles } from './feed-file.ts'

const settings = {
  dialect: 'IMPACT',
  delimiter: null,
  quoting: null,
  columnMap: {},
  defaultCurrency: 'USD',
  decimalMark: null,
  maxRowCount: feedsUpTo.max_row_count,
} as const
const never = new AbortController().signal

/** Unpacking and splitting alone, in milliseconds: what no reader of the file can do without. */
export async function parseAlone(files: FeedFiles, rows: number): Promise<number> {
  await using handle = await files.open(rows, 'first')
  const started = performance.now()
  const { csv } = await openTable(handle, settings, never)
  let count = 0
  for await (const { records } of csv.batches) count += records.length
  if (count !== rows) throw new Error(`${count} rows were read instead of ${rows}.`)
  return performance.now() - started
}

const columns = { ...keys.columns, ...fields.columns } // `n` is in both

/** Binary COPY alone, of rows that lie ready in memory, and the bare merge of what it left; in milliseconds. */
export async function copyAndMergeAlone(stand: Stand, files: FeedFiles, rows: number) {
  const { sourceId } = await stand.makeFeed()
  const client = await stand.pool.connect()
  try {
    await client.query(staging)
    const copyMs = await copyAll(client, files, rows)
    // The last row of a product counts; finding that out is no part of the floor.
    await client.query(
      // A join: "not in" of so many is hashed or not as the planner guesses, and takes an hour where it is not.
      `delete from bench_staging s
       using (select identity_type, identity_value, max(n) as n from bench_staging group by 1, 2) last
       where (s.identity_type, s.identity_value) = (last.identity_type, last.identity_value) and s.n < last.n`,
    )
    const mergeMs = await mergeAll(client, sourceId)
    await client.query('drop table bench_staging')
    return { copyMs, mergeMs }
  } finally {
    client.release()
  }
}

const staging = `
  create unlogged table bench_staging (
    n integer, identity_type freshet.identity_type, identity_value text, url_hash bytea, folded_hash bytea, version_hash bytea,
    signature bytea, line integer, amount numeric, original_price numeric, in_stock boolean, currency text, title text, link text,
    url text, image_url text, brand text, category text, upc text, item_id text, sku text, promo jsonb
  )`

async function copyAll(client: pg.PoolClient, files: FeedFiles, rows: number): Promise<number> {
  await using handle = await files.open(rows, 'first')
  const table = await openTable(handle, settings, never)
  let [ms, n] = [0, 0]
  for await (const chunk of readChunks(table, settings, { size: 20_000, now: hour(0) })) {
    const cells = Array.from(chunk.rows.values(), (row) => [n, ...keyOf(row, n).slice(1), ...rowOf(row, n++).slice(1)])
    const bytes = encodeRows(Object.values(columns), cells)
    const started = performance.now()
    const statement = `copy bench_staging (${Object.keys(columns).join(', ')}) from stdin (format binary)`
    await pipeline([bytes], client.query(from(statement)))
    ms += performance.now() - started
  }
  await client.query('analyze bench_staging')
  return ms
}

async function mergeAll(client: pg.PoolClient, sourceId: string): Promise<number> {
  const text = await readFile(new URL('floor.sql', import.meta.url), 'utf8')
  const { rows } = await client.query<{ id: string }>(`select nextval('freshet.runs_id_seq') as id`)
  const started = performance.now()
  await client.query(text, [sourceId, rows[0]?.id, hour(0)])
  return performance.now() - started
}
