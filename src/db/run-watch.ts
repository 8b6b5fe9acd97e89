import type pg from 'pg'
import { reason, type Log } from '../log.ts'
import type { Pool } from './pool.ts'
import { RunConnectionLost, type RunConnection } from './run-lock.ts'
import { queryRows } from './sql.ts'

const watchMs = 5_000
const backendState =
  'select state, state_change::text as since from pg_stat_activity where pid = $1 and application_name = $2'

type Seen = { state: string | null; since: string }

/**
 * Notices that a run's connection died without a word: a pulled cable, a firewall that forgot it. Nothing on the connection
 * itself tells, so the server is asked over another one: is the run's session gone, or has it been idle all the while that the
 * run waits for its answer? Then the connection is cut, and the run fails at once instead of hours later.
 */
export function watchConnection(
  connection: RunConnection,
  pool: Pool,
  log: Log,
  everyMs: number = watchMs,
): Disposable {
  const { client, name } = connection
  // pg keeps both to itself; `processID` comes with the session, `readyForQuery` is false while an answer is awaited.
  const session = client as pg.Client & { processID: number; readyForQuery: boolean }
  let before: Seen | undefined
  let isLooking = false
  const look = async () => {
    const isWaiting = !session.readyForQuery
    const [seen] = await queryRows<Seen>(pool, backendState, [session.processID, name])
    const isSilent = isWaiting && !session.readyForQuery && seen?.state?.startsWith('idle') === true
    if (!seen) lose('the server has no such session any more')
    else if (isSilent && before?.since === seen.since) lose('the server waits for the run, the run for the server')
    before = isSilent ? seen : undefined
  }
  const lose = (why: string) => {
    if (connection.signal.aborted) return
    log.warn({ error: why }, 'the connection of a run went silent')
    connection.cut(new RunConnectionLost(new Error(why)))
  }
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch((error: unknown) => log.debug({ error: reason(error) }, 'the connection of a run could not be looked at'))
      .finally(() => (isLooking = false))
  }, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

type Watched = { pool: Pool; log: Log; signal: AbortSignal; watchMs?: number | undefined }

/**
 * Works on a run's connection under watch: fails at once when it is lost or goes silent, and cuts it when the signal tells that
 * the job is no longer this attempt's.
 */
export async function workWatched<Result>(
  connection: RunConnection,
  { pool, log, signal, watchMs }: Watched,
  work: () => Promise<Result>,
): Promise<Result> {
  using _watch = watchConnection(connection, pool, log, watchMs)
  const onAbort = () => connection.cut(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    // Connecting takes a while. A job taken away meanwhile has a next attempt, whose lock this one would take from it.
    if (signal.aborted) onAbort()
    signal.throwIfAborted()
    return await Promise.race([work(), lossOf(connection)])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Never answers; fails when the connection is lost. */
function lossOf({ signal }: RunConnection): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
