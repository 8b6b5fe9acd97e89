import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { systemClock } from 'pg-boss'
import { inject } from 'vitest'
import type { Environment } from '../../src/config.ts'
import { makeKeyRing } from '../../src/domain/feeds/credentials/key-ring.ts'
import { encryptSecret, secretContext } from '../../src/domain/feeds/credentials/secret.ts'
import { runAttempt, type Claim } from '../../src/jobs/kit/attempt.ts'
import { feedIngestOf } from '../../src/jobs/feed-ingest.ts'
import type { Outcome } from '../../src/jobs/kit/outcome.ts'
import { jobHandler } from '../../src/jobs/kit/workers.ts'
import { withLogFields } from '../../src/log.ts'
import { cloneDatabase, createDatabase, type TestDatabase } from './database.ts'
import { openJobs } from './jobs.ts'
import { aRetailer, aSource, insertRow } from './rows.ts'
import type { startFtpServer } from './ftp-server.ts'
import { startSftpServer } from './sftp-server.ts'

export type Feed = { id: string; sourceId: string }
type Server = Pick<Awaited<ReturnType<typeof startSftpServer | typeof startFtpServer>>, 'connection'>

const key = Buffer.alloc(32, 7)
/** What a worker of these feeds is told by its environment. */
export const feedEnvironment = (dir: string): Environment => ({
  CREDENTIAL_ENCRYPTION_KEY_B64: key.toString('base64'),
  FRESHET_ALLOW_PRIVATE_NETWORK: 'true',
  AFFILIATE_FEED_ALLOW_PLAIN_FTP: 'true',
  FRESHET_DATA_DIR: dir,
})

/** An enabled feed of a server's file, of a source that consumers see; nothing but who asks runs it. */
export async function aFeedOf({ pool }: TestDatabase, { connection }: Server, columns: object = {}): Promise<Feed> {
  const source = { kind: 'AFFILIATE_FEED', affiliate_network: 'IMPACT', is_display_primary: true }
  const sourceId = await aSource(pool, await aRetailer(pool), source)
  const { transport, tlsMode, host, port, path, username, secret } = connection
  const place = { transport, tls_mode: transport === 'FTPS' ? tlsMode : null, host, port, path, username }
  const row = { source_id: sourceId, dialect: 'IMPACT', status: 'ENABLED', ...place, ...columns }
  const id = await insertRow(pool, 'feeds', row)
  const { secretCiphertext, secretKeyId } = encryptSecret(makeKeyRing(key), secret, secretContext(id, 1))
  const store = 'update freshet.feeds set secret_ciphertext = $2, secret_key_id = $3 where id = $1'
  await pool.query(store, [id, secretCiphertext, secretKeyId])
  return { id, sourceId }
}

type AttemptOptions = {
  now?: Date
  /** Whose run is tried again; else a person asks for a new one. */
  jobId?: string
  isLast?: boolean
  /** Another way to the same database, for the run's connection. */
  directUrl?: string
}

/** Attempts at runs of feeds, made by hand: the job's own code, on a claim that is taken by hand. */
export async function openAttempts(database: TestDatabase, { chunkSize }: { chunkSize?: number } = {}) {
  const { pool } = database
  const dir = await mkdtemp(join(tmpdir(), 'freshet-feeds-'))
  const job = feedIngestOf(chunkSize)
  const jobs = await openJobs(database, [job], { env: feedEnvironment(dir) })
  const never = new AbortController().signal
  return {
    dir,
    log: jobs.log,
    services: jobs.services,
    /** One attempt at the run of a feed, and how it ended. */
    async attempt(
      { id }: Feed,
      { now, jobId: given, isLast = false, directUrl = database.url }: AttemptOptions = {},
    ): Promise<{ jobId: string; outcome: Outcome }> {
      const request = 'select job_id from freshet.request_feed_run($1, true, $2)'
      const ask = async () => (await pool.query<{ job_id: string }>(request, [id, now ?? new Date()])).rows[0]!.job_id
      const jobId = given ?? (await ask())
      const take =
        "update pgboss.job set state = 'active', started_on = now() where name = $1 and id = $2 returning data"
      const { data } = (await pool.query<{ data: unknown }>(take, [job.name, jobId])).rows[0]!
      const retries = isLast ? job.options.retryDelays.length : 0
      const claim = { id: jobId, name: job.name, data, retryCount: retries, signal: never } as unknown as Claim
      const services = { ...jobs.services, directUrl, now: now ? () => now : jobs.services.now }
      const parts = { services, log: jobs.logger, clock: systemClock, stopping: never, deadline: never }
      const handler = jobHandler(job)
      const limit = job.options.retryDelays.length
      const outcome = await withLogFields(handler.names(claim), () => runAttempt(handler, claim, limit, parts))
      return { jobId, outcome }
    },
    /** The names of temporary files that are left. */
    filesLeft: () => readdir(join(dir, 'feeds')).catch(() => []),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
}

/** What would tell of a run that was not put away: a lock, a staging table, a connection. Empty, when all is. */
export async function remainsOf({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ what: string }>(
    `select 'lock ' || classid || ' ' || objid as what from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
     union all select 'table ' || relname from pg_class where relname ~ '^feed_' and relpersistence = 't'
     union all select 'connection ' || application_name from pg_stat_activity
     where datname = current_database() and application_name like 'freshet:run:%'
     union all select 'run ' || id from freshet.runs where status = 'RUNNING'`,
  )
  return rows.map(({ what }) => what)
}

const header = 'CatalogItemId,Name,Url,CurrentPrice,Currency,StockAvailability,Manufacturer'
const hour = 3_600_000

/** Three files of a shop: the first, one that changes most prices a day later, and one of many kinds of news. */
export function threeFiles(count: number): { first: Buffer; second: Buffer; third: Buffer; other: Buffer } {
  const line = (n: number | string, title: string, price: string) =>
    `i${n},${title},https://shop.example/p/${n}?ref=${n},${price},USD,InStock,Brand ${Number(n) % 50}`
  const price = (n: number, more = 0) => `${(n % 900) + 20 + more}.${String(n % 100).padStart(2, '0')}`
  const base = (n: number) => line(n, `Product ${n}`, price(n))
  const day = (n: number) => (n % 8 === 0 ? base(n) : line(n, `Product ${n}`, price(n, 1)))
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const news = (n: number): string[] => {
    if (n % 33 === 0) return [] // gone
    if (n % 20 === 1) return [line(n, `Product ${n}`, price(n, 2))]
    if (n % 50 === 2) return [line(n, `Product ${n}, "now new"`.replaceAll(',', ''), price(n, n % 8 === 0 ? 0 : 1))]
    if (n % 50 === 3) return [line(`${n}0001`, `New ${n}`, price(n))]
    if (n % 400 === 4) return [day(n), line(n, `Once more ${n}`, price(n, 3))] // the last one wins
    if (n % 400 === 5) return [line(n, `Product ${n}`, 'POA')]
    if (n % 2_000 === 6) return [line(n, `Product ${n}`, '9000000.00')] // held
    if (n % 1_000 === 7)
      return [
        day(n),
        `,Case ${n},https://shop.example/C/${n},5.00,USD,,B`,
        `,Case ${n},https://shop.example/c/${n},5.00,USD,,B`,
      ]
    return [day(n)]
  }
  // What stood in the first half once more at the end: the same product in two chunks.
  const again = numbers.filter((n) => n % 500 === 8).map((n) => line(n, `Again ${n}`, price(n, 4)))
  const packed = (lines: string[]) => gzipSync(`${[header, ...lines].join('\n')}\n`, { level: 1 })
  return {
    first: packed(numbers.map(base)),
    second: packed(numbers.map(day)),
    third: packed([...numbers.flatMap(news), ...again]),
    other: packed(
      numbers.flatMap((n) => (n % 33 === 1 ? [] : n % 50 === 4 ? [line(`${n}0002`, `Else ${n}`, price(n))] : [day(n)])),
    ),
  }
}

/**
 * A database with a feed that has taken in two files, to be copied, and the server that now has the third: what is tried is the
 * run that takes that one in.
 */
export async function makeFeedBase(count: number, chunkSize: number) {
  await using making = new AsyncDisposableStack()
  const server = making.use(await startSftpServer())
  const files = threeFiles(count)
  const database = making.use(await cloneDatabase())
  const name = new URL(database.url).pathname.slice(1)
  const feed = await aFeedOf(database, server)
  await database.pool.query('delete from freshet.schedules')
  const now = Date.now()
  {
    await using attempts = await openAttempts(database, { chunkSize })
    for (const [file, ago] of [
      [files.first, 40],
      [files.second, 20],
    ] as const) {
      server.serve(file, new Date(now - ago * hour))
      const { outcome } = await attempts.attempt(feed, { now: new Date(now - ago * hour) })
      if (outcome.kind !== 'done') throw new Error(`The base was not made: ${JSON.stringify(outcome)}`)
    }
  }
  await database.pool.query("delete from pgboss.job where name = 'feed-ingest'")
  await database.pool.query('analyze') // what is read of the copies would be joined row by row
  await leaveAlone(name)
  const serve = (file: Buffer, later = 0) => server.serve(file, new Date(now + later))
  serve(files.third)
  const resources = making.move()
  return {
    server,
    serve,
    feed,
    files,
    chunkSize,
    copy: () => createDatabase(name),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Nobody may be connected to a database that is copied. */
async function leaveAlone(name: string): Promise<void> {
  const admin = new pg.Client(inject('postgres').url)
  await admin.connect()
  await admin.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
  await admin.end()
}

export type FeedBase = Awaited<ReturnType<typeof makeFeedBase>>
