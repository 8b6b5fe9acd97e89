import pg from 'pg'
import { ExpectedError } from '../expected-error.ts'
import { reason, type Log } from '../log.ts'
import { queryRows } from './sql.ts'

/** The key of a run's advisory lock. The classes are registered in `sql/README.md`. */
export type LockKey = { lockClass: number; lockId: number }

/** Thrown when the connection that a run writes on is gone: whatever it had not committed is undone, and its lock is free. */
export class RunConnectionLost extends ExpectedError<'RUN_CONNECTION_LOST'> {
  constructor(why: unknown) {
    super('RUN_CONNECTION_LOST', `The connection that the run writes on was lost: ${reason(why)}`, {
      hint: 'The run is tried again from scratch. If this goes on, look at the log of Postgres and at the network.',
      cause: why,
    })
  }
}

/** The one connection of one attempt at a run: it holds the lock and does all of the run's writing. */
export type RunConnection = AsyncDisposable & {
  readonly client: pg.Client
  readonly jobId: string
  /** What Postgres calls it. */
  readonly name: string
  readonly log: Log
  /** The lock that it holds. */
  lock?: LockKey
  /** Aborted the moment the connection is lost or cut, with the reason. */
  readonly signal: AbortSignal
  /** Closes the connection at once, in the middle of a statement if need be. */
  cut(why: unknown): void
}

/** What a run's connection is called: SQL finds it by that (freshet.run_lock_holder). */
export const runConnectionName = (jobId: string) => `freshet:run:${jobId}`

/** The same for a decision, which takes a run's lock and makes no run. */
export const decisionConnectionName = (jobId: string) => `freshet:decision:${jobId}`

/** How long Postgres may take over what is asked while nobody watches the connection: when it opens, and when it closes. */
const answerMs = 5_000

/** How long to wait for a lock that is about to be free: an earlier attempt's that was ended, or that of a run that has ended. */
const releaseMs = 5_000

/**
 * Opens the connection of a run's attempt. Its name tells which job it works for, so that a later attempt can find and end it.
 * `url` must lead to Postgres itself: a pooler would hand the lock to strangers.
 */
export async function connectRun(
  url: string,
  jobId: string,
  log: Log,
  name = runConnectionName(jobId),
): Promise<RunConnection> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  })
  const lost = new AbortController()
  let isClosing = false
  const lose = (why: unknown) => {
    if (isClosing || lost.signal.aborted) return
    log.warn({ error: reason(why) }, 'the connection of a run was lost')
    lost.abort(new RunConnectionLost(why))
  }
  client.on('error', lose)
  client.on('end', () => lose(new Error('the server closed it')))
  try {
    await client.connect()
    await askWithin(client, answerMs, 'select freshet.guard_run_connection()')
  } catch (error) {
    isClosing = true
    await client.end().catch(() => {})
    throw error
  }
  const close = () => client.end().catch(() => {})
  const release = async (lock: LockKey | undefined) => {
    // Letting go by hand frees the lock now, not when the server has noticed that the connection is closed.
    await askWithin(client, answerMs, 'select pg_advisory_unlock_all()')
    if (lock) log.debug({ event: 'ADVISORY_LOCK_RELEASED', ...lock }, 'the run let its lock go')
  }
  const connection: RunConnection = {
    client,
    jobId,
    name,
    log,
    signal: lost.signal,
    cut(why) {
      lost.abort(why)
      void close()
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      if (!lost.signal.aborted) await release(connection.lock).catch(() => {})
      await close()
    },
  }
  return connection
}

/**
 * Asks what must be answered in time. A connection that died silently never answers; as its question stays open, closing it
 * then breaks it off at once instead of waiting for the other side.
 */
async function askWithin(client: pg.Client, ms: number, text: string): Promise<void> {
  const limited = { text, query_timeout: ms } // pg knows it, its types do not
  await client.query(limited)
}

/**
 * Takes the run's lock on its connection. What is left of an earlier attempt of the same job is ended; a run that has ended, or a
 * decision, is waited for. Answers false when another run is at work, or the wait was too long.
 */
export async function takeRunLock(connection: RunConnection, lock: LockKey, waitMs = releaseMs): Promise<boolean> {
  if (!(await acquire(connection, lock, waitMs))) return false
  connection.lock = lock
  connection.log.debug({ event: 'ADVISORY_LOCK_ACQUIRED', ...lock }, 'the run has its lock')
  return true
}

/** Who holds a lock, as seen by this run: see `run_lock_holder`. */
export type LockHolder = 'NOBODY' | 'SAME_JOB' | 'ENDING' | 'DECISION' | 'OTHER'

export async function readLockHolder(
  { client, jobId }: Pick<RunConnection, 'client' | 'jobId'>,
  { lockClass, lockId }: LockKey,
): Promise<LockHolder> {
  const text = 'select freshet.run_lock_holder($1, $2, $3) as holder'
  const [answer] = await queryRows<{ holder: LockHolder }>(client, text, [lockClass, lockId, jobId])
  return answer?.holder ?? 'NOBODY'
}

async function acquire({ client, jobId }: RunConnection, lock: LockKey, waitMs: number) {
  const { lockClass, lockId } = lock
  const key = [lockClass, lockId]
  const ask = async (text: string, values: unknown[]) =>
    (await queryRows<{ answer: unknown }>(client, `select ${text} as answer`, values))[0]?.answer
  if (await ask('pg_try_advisory_lock($1, $2)', key)) return true
  const holder = await readLockHolder({ client, jobId }, lock)
  if (holder === 'OTHER') return false
  if (holder === 'SAME_JOB') await ask('freshet.end_run_holder($1, $2, $3, $4)', [...key, jobId, waitMs])
  await ask("set_config('lock_timeout', $1, false)", [`${waitMs}ms`])
  try {
    await ask('pg_advisory_lock($1, $2)', key)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === lockNotAvailable) return false
    throw error
  } finally {
    await ask("set_config('lock_timeout', '0', false)", [])
  }
}

const lockNotAvailable = '55P03'
