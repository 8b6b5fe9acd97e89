import { hash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { TestDatabase } from './database.ts'
import { stagingOf, type Product } from './feed-products.ts'
import { at } from './moment.ts'
import { aRetailer, aSource, insertRow } from './rows.ts'
import { startRun } from './runs.ts'

export type FeedStand = { id: string; sourceId: string; retailerId: string }

/** What a run is asked to do besides taking in its rows. Times are hours since the tests' moment. */
export type RunOptions = {
  at?: number
  chunkSize?: number
  /** Ask first which rows have anything to write, and send only those. */
  isProbed?: boolean
  trigger?: string
  /** The job of an earlier run that is to be tried again. */
  jobId?: string
  /** Rows of the file that were refused, besides those given. */
  rejected?: number
  /** What the file is, if not what its rows are. */
  content?: string
  /** When the server says that the file was changed, if not at the run. */
  mtime?: number
  /** Die after so many chunks: nothing ends the run. */
  dieAfter?: number
  /** End with this failure instead of a judgement. */
  fail?: { code: string; isCounted?: boolean }
  skip?: 'UNCHANGED_MTIME' | 'UNCHANGED_HASH'
}

export type FeedRunRow = Record<string, unknown> & {
  is_blocked: boolean
  block_reasons: string
  warnings: { code: string; message: string }[]
  status: string
  counters: Record<string, number>
}

export type FeedRun = { id: string; jobId: string; row: FeedRunRow }

/** To the millisecond: a third of an hour is no number of its own. */
export const hour = (hours: number): Date => at(Math.round(hours * 3_600_000) / 1_000)

/** Feeds over a database of one's own, and whole runs of them through the SQL functions that a worker calls, in its order. */
export async function openFeedRuns({ pool }: Pick<TestDatabase, 'pool'>) {
  const client = await pool.connect()
  const rowsOf = async <Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>(sql, values)).rows
  const callOf = async <Value>(name: string, ...values: unknown[]): Promise<Value> => {
    const places = values.map((_, index) => `$${index + 1}`).join(', ')
    const [row] = await rowsOf<{ value: Value }>(`select freshet.${name}(${places}) as value`, ...values)
    return row!.value
  }

  async function aFeed(
    columns: Record<string, unknown> = {},
    source: Record<string, unknown> = {},
  ): Promise<FeedStand> {
    const retailerId = await aRetailer(pool)
    const kind = { kind: 'AFFILIATE_FEED', is_display_primary: true }
    const sourceId = await aSource(pool, retailerId, { ...kind, ...source })
    const place = { host: 'files.example', path: '/catalog.csv', username: 'user', status: 'ENABLED' }
    return { id: await insertRow(pool, 'feeds', { source_id: sourceId, ...place, ...columns }), sourceId, retailerId }
  }

  const feedRun = async (id: string): Promise<FeedRunRow> => {
    const [row] = await rowsOf<FeedRunRow>(
      `select f.*, f.block_reasons::text as block_reasons, r.status, r.counters, r.error_count, r.attempt
       from freshet.runs r left join freshet.feed_runs f on f.run_id = r.id where r.id = $1`,
      id,
    )
    return row!
  }

  /** Plays a run from its start to its end. */
  async function run(feed: FeedStand, file: Product[], options: RunOptions = {}): Promise<FeedRun> {
    const { at: hours = 0, trigger = 'SCHEDULED', chunkSize = 5_000, rejected = 0, fail, skip, dieAfter } = options
    const now = hour(hours)
    const lock: [number, number] = [4620, Number(feed.id)]
    const { jobId = randomUUID() } = options
    const started = await startRun(client, { jobId, trigger, sourceId: feed.sourceId, lock, now })
    const answer = async () => ({ id: started.id, jobId, row: await feedRun(started.id) })
    if (started.status !== 'RUNNING') return answer()

    await client.query('select freshet.open_feed_staging()')
    const chunks = skip ? [] : chunksOf(file, chunkSize)
    for (const [number, chunk] of chunks.slice(0, dieAfter).entries()) {
      const first =
        number === 0 ? { rowsRead: chunk.length + rejected, productsRejected: rejected } : { rowsRead: chunk.length }
      await takeIn(client, started, {
        chunk,
        number,
        firstLine: number * chunkSize + 2,
        counters: first,
        now,
        ...options,
      })
    }
    if (dieAfter !== undefined) return answer()
    const content = hash('sha256', options.content ?? JSON.stringify(file), 'buffer')
    await client.query(
      'update freshet.feed_runs set content_hash = $2, remote_mtime = $3, remote_size = $4 where run_id = $1',
      [started.id, content, options.mtime === undefined ? now : hour(options.mtime), file.length],
    )
    const own = [started.id, started.attempt]
    if (fail)
      await client.query('select freshet.fail_run($1, $2, $3, $4, $5, $6, $7)', [
        ...own,
        fail.code,
        'It failed.',
        'Look.',
        now,
        fail.isCounted ?? true,
      ])
    else if (skip) await client.query('select freshet.skip_feed_run($1, $2, $3, $4)', [...own, skip, now])
    else await client.query('select freshet.conclude_feed_run($1, $2, $3)', [...own, now])
    return answer()
  }

  /** What consumers see of a feed at an hour, by identity. */
  const visible = (feed: FeedStand, hours: number) =>
    rowsOf<{ id: string; title: string; price: string; currency: string; in_stock: boolean; original: string | null }>(
      `select o.identity_value as id, v.title, v.price::text, v.currency, v.in_stock, v.original_price::text as original
       from freshet.visible_offers($2) v join freshet.offers o on o.id = v.offer_id
       where v.source_id = $1 order by o.identity_value collate "C"`,
      feed.sourceId,
      hour(hours),
    )

  return {
    pool,
    rowsOf,
    callOf,
    aFeed,
    run,
    feedRun,
    visible,
    visibleIds: async (feed: FeedStand, hours: number) => (await visible(feed, hours)).map(({ id }) => id),
    /** Every column of what consumers can see at an hour, the history of prices included: what a blocked run leaves as it is. */
    everythingVisible: async (hours: number) => ({
      offers: await rowsOf('select * from freshet.visible_offers($1) order by offer_id', hour(hours)),
      readSide: await rowsOf('select * from freshet.current_offers order by offer_id'),
      prices: await rowsOf(
        `select p.* from freshet.prices p
         where not p.is_held and (p.run_id is null or exists (select from freshet.promotions s where s.run_id = p.run_id))
         order by p.id`,
      ),
    }),
    /** All prices that were written for a feed, in order. */
    prices: (feed: FeedStand) =>
      rowsOf<{ id: string; run_id: string | null; amount: string; reason: string; is_held: boolean }>(
        `select o.identity_value as id, p.run_id, p.amount::text, p.reason, p.is_held
         from freshet.prices p join freshet.offers o on o.id = p.offer_id where o.source_id = $1 order by p.id`,
        feed.sourceId,
      ),
    /** Of all sources, or of one feed's. */
    rebuild: (hours: number, feed?: FeedStand) =>
      callOf<number>('rebuild_current_offers', hour(hours), feed?.sourceId ?? null),
    approve: (id: string, hours: number, expected: number | null = null) =>
      callOf<number>('approve_activation', id, 'an operator', expected, hour(hours)),
    reject: (id: string, hours: number) => callOf('reject_activation', id, 'an operator', 'not true', hour(hours)),
    refusal: (id: string, hours: number, expected: number | null = null) =>
      callOf<string | null>('decision_refusal', id, expected, hour(hours)),
    offerId: async (feed: FeedStand, id: string) =>
      (
        await rowsOf<{ id: string }>(
          'select id from freshet.offers where source_id = $1 and identity_value = $2',
          feed.sourceId,
          id,
        )
      )[0]!.id,
    [Symbol.asyncDispose]: async () => client.release(),
  }
}

export type FeedRuns = Awaited<ReturnType<typeof openFeedRuns>>

type Part = { chunk: Product[]; number: number; firstLine: number; counters: object; now: Date; isProbed?: boolean }

async function takeIn(client: pg.PoolClient, run: { id: string; attempt: number }, part: Part): Promise<void> {
  const { chunk, number, firstLine, counters, now, isProbed = false } = part
  const staged = stagingOf(chunk, firstLine)
  await client.query('begin')
  await client.query(
    `insert into pg_temp.feed_keys
     select n, identity_type, identity_value, decode(url_hash, 'hex'), decode(folded_hash, 'hex'), decode(version_hash, 'hex'),
       decode(signature, 'hex')
     from jsonb_to_recordset($1) as r(n int, identity_type freshet.identity_type, identity_value text, url_hash text,
       folded_hash text, version_hash text, signature text)`,
    [JSON.stringify(staged)],
  )
  const wanted = isProbed
    ? (await client.query<{ n: number[] }>('select freshet.probe_feed_chunk($1, $2) as n', [run.id, now])).rows[0]!.n
    : staged.map(({ n }) => n)
  await client.query(
    `insert into pg_temp.feed_rows (n, line, amount, original_price, in_stock, currency, title, link, url, brand, sku, promo)
     select n, line, amount, original_price, in_stock, currency, title, link, url, brand, sku, promo
     from jsonb_to_recordset($1) as r(n int, line int, amount numeric, original_price numeric, in_stock boolean, currency text,
       title text, link text, url text, brand text, sku text, promo jsonb)`,
    [JSON.stringify(staged.filter(({ n }) => wanted.includes(n)))],
  )
  const all = { ...counters, rowsParsed: chunk.length, duplicateKeyCount: chunk.length - staged.length }
  await client.query('select freshet.ingest_feed_chunk($1, $2, $3, $4, $5, $6)', [
    run.id,
    run.attempt,
    number,
    isProbed,
    JSON.stringify(all),
    now,
  ])
  await client.query('commit')
}

/** A file of no rows is one chunk that has none. */
const chunksOf = (file: Product[], size: number): Product[][] =>
  Array.from({ length: Math.max(1, Math.ceil(file.length / size)) }, (_, index) =>
    file.slice(index * size, (index + 1) * size),
  )
