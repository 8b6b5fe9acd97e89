import { randomBytes, randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { makeKeyRing } from '../../../src/domain/feeds/credentials/key-ring.ts'
import { encryptSecret, secretContext } from '../../../src/domain/feeds/credentials/secret.ts'
import { decide, type Decision } from '../../../src/domain/feeds/decide.ts'
import { ingestFeed } from '../../../src/domain/feeds/ingest-feed.ts'
import { PermanentError } from '../../../src/domain/queue/job-error.ts'
import { executeRun } from '../../../src/domain/runs/execute-run.ts'
import { runLockClass } from '../../../src/domain/runs/run.ts'
import { createLog, withLogFields } from '../../../src/log.ts'
import type { TestDatabase } from '../database.ts'
import type { FeedRuns } from '../feed-runs.ts'
import { collectLines } from '../lines.ts'
import { at } from '../moment.ts'
import { putToWork } from '../runs.ts'
import type { startSftpServer } from '../sftp-server.ts'
import { sftpUser } from '../sftp-server.ts'
import type { FeedFile, Refusal } from './model.ts'
import { moneyOf } from './money.ts'
import { sqlHand } from './sql-hand.ts'
import type { AttemptAt, Hand } from './stand.ts'

type Server = Awaited<ReturnType<typeof startSftpServer>>

const never = new AbortController().signal
const operator = { keyId: null, name: 'an operator', scopes: new Set(['OPERATE'] as const), requestId: 'history' }

/** Runs and decisions as a worker carries them out: file server, download, parser, COPY, the feed's lock, the audit log. */
export function pipelineHand(database: TestDatabase, feeds: FeedRuns, server: Server): Hand {
  const { pool, url: directUrl } = database
  const keyRing = makeKeyRing(randomBytes(32))
  const log = createLog({ level: 'error', destination: collectLines().stream })

  async function attempt(feedId: string, sourceId: string, given: AttemptAt): Promise<void> {
    const { jobId, file, now, course, chunkSize, isForced } = given
    server.serve(Buffer.from(csvOf(file)), at(file.mtime))
    if (isForced) await pool.query('select freshet.request_feed_run($1, true, $2)', [feedId, at(now)])
    const job = {
      pool,
      directUrl,
      log,
      now: () => at(now),
      isLastAttempt: course.end === 'FAILED',
      signal: never,
      stopping: never,
    }
    const services = {
      outside: { allowPlainFtp: false, allowPrivateNetwork: true },
      dir: tmpdir(),
      openKeys: async () => keyRing,
      now: endingClock(given),
      log,
      stopping: never,
      isLastAttempt: job.isLastAttempt,
      chunkSize,
    }
    await putToWork(pool, jobId)
    const lock = { lockClass: runLockClass.feed, lockId: Number(feedId) }
    const ended = withLogFields({}, () =>
      executeRun({ jobId, lock, kind: 'FEED', trigger: 'MANUAL', sourceId }, job, (run) =>
        ingestFeed(run, feedId, services),
      ),
    )
    // Whether the run came to its end is compared afterwards, as everything else.
    await ended.catch((error: unknown) => {
      if (course.end === 'JUDGED') throw error
    })
  }

  async function carryOut<Answer>(decision: Decision, now: number): Promise<Answer | null> {
    const occasion = { pool, directUrl, jobId: randomUUID(), signal: never, isRepeated: false, now: () => at(now), log }
    return (await withLogFields({}, () => decide(decision, operator, occasion))).refusal as Answer | null
  }

  return {
    async aFeed(settings) {
      const feed = await sqlHand(feeds).aFeed(settings)
      const { secretCiphertext, secretKeyId } = encryptSecret(
        keyRing,
        { password: sftpUser.password },
        secretContext(feed.id, 1),
      )
      const { host, port, path } = server.connection
      await pool.query(
        `update freshet.feeds set dialect = 'IMPACT', host = $2, port = $3, path = $4, username = $5, secret_ciphertext = $6, secret_key_id = $7
         where id = $1`,
        [feed.id, host, port, path, sftpUser.username, secretCiphertext, secretKeyId],
      )
      return feed
    },
    async attempt(feed, given) {
      await attempt(feed.id, feed.sourceId, given)
      const { rows } = await pool.query<{ id: string }>('select id from freshet.runs where job_id = $1', [given.jobId])
      return rows[0]!.id
    },
    approve: async ({ id }, runId, expected, now) =>
      carryOut<Refusal>({ kind: 'APPROVE', feedId: id, runId, expected }, now),
    reject: async ({ id }, runId, now) =>
      carryOut<Refusal>({ kind: 'REJECT', feedId: id, runId, reason: 'not true' }, now),
    accept: async ({ id }, offerId, now) =>
      carryOut<'NO_HELD_PRICE'>({ kind: 'ACCEPT_PRICE', feedId: id, offerId }, now),
  }
}

/**
 * The clock of an attempt, which ends it where its course says so: it is read once before the file is parsed, once a chunk, and
 * before the judgement. A failure that another attempt may mend leaves the run as a kill does.
 */
function endingClock({ file, now, course, chunkSize }: AttemptAt): () => Date {
  const chunks = Math.ceil((file.rows.length + file.rejected) / chunkSize)
  let reads = 0
  return () => {
    const read = reads++
    if (course.end === 'KILLED' && read === Math.min(course.chunks, chunks) + 1) throw new Error('It was killed.')
    if (course.end === 'FAILED' && read === chunks + 1)
      throw new PermanentError('It failed.', { code: 'DATABASE_ERROR', isCounted: false })
    return at(now)
  }
}

const header = 'CatalogItemId,Name,Url,CurrentPrice,OriginalPrice,Currency,StockAvailability'

/** As Impact writes it. Rows that are to be refused stand at the end, without a name; the comment makes bytes of each file its own. */
function csvOf({ content, rows, rejected }: FeedFile): string {
  const lines = rows.map(({ key, title, url, price, currency, original, inStock }) => {
    const [by, id] = key.split(' ')
    const words = [
      by === 'ID' ? id : '',
      title,
      url,
      moneyOf(price),
      original === null ? '' : moneyOf(original),
      currency,
    ]
    return [...words, inStock ? 'InStock' : 'OutOfStock'].join(',')
  })
  const refused = Array.from({ length: rejected }, (_, index) => `r${index},,https://shop.example/r,1.00,,USD,InStock`)
  return [`${header},${content.replaceAll(' ', '')}`, ...lines, ...refused, ''].join('\n')
}
