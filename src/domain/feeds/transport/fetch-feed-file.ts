import type { FileHandle } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { addSecrets, reason, type Log } from '../../../log.ts'
import type { FailureCode } from '../../failure-codes.ts'
import type { JobError } from '../../queue/job-error.ts'
import { classificationOf, classify, transportFailure } from './classify.ts'
import { secretsOf, serverOf, targetOf, type FeedConnection, type RemoteStat } from './connection.ts'
import { downloadOnce, since, type Download } from './download.ts'
import { standardLimits, watch, type Limits } from './limits.ts'
import { checkPath } from './path.ts'
import { openPrivateFile, type PrivateFile } from './private-file.ts'
import { compressionOf } from './progress.ts'
import { sweepFiles } from './sweep-files.ts'

export type FetchOptions = {
  /** Where the temporary file is made. */
  dir: string
  signal: AbortSignal
  log: Log
  allowPrivate: boolean
  allowPlainFtp: boolean
  maxBytes: number
  /** Whether the file need not be read, by what the server says of it. */
  isUnchanged?: (stat: RemoteStat) => boolean
  /** Told the host key of a server that let us in though none is accepted yet: it is to be pinned, whatever becomes of the rest. */
  onHostKey?: (fingerprint: string) => Promise<void>
  /** What was known of the file before, for the log. */
  lastKnown?: RemoteStat
  /** Called with every piece that arrives, so it should be quick. */
  onProgress?: (progress: { bytes: number; total: number | undefined }) => void
  isLastAttempt?: boolean
  limits?: Partial<Limits>
  /** How long to wait before a lost connection is made again. */
  reconnectMs?: number
}

/** The file as a handle without a name: whoever disposes of it has removed it. Reading begins at its first byte. */
export type FetchedFile = AsyncDisposable & {
  kind: 'fetched'
  bytes: number
  sha256: Buffer
  stat: RemoteStat
  handle: FileHandle
}
export type FetchOutcome = FetchedFile | { kind: 'unchanged'; stat: RemoteStat }

const mostReconnects = 3

/**
 * Downloads the file of a feed, whole or not at all: what is cut short, changes meanwhile or has not the length that the
 * server names is a failure, and nothing of it is left. All that is thrown is a failure of ours, final or not; an aborted
 * signal throws its reason. Called inside `withLogFields`: the secrets of the connection are taken out of all that is logged.
 */
export async function fetchFeedFile(connection: FeedConnection, options: FetchOptions): Promise<FetchOutcome> {
  const { log, signal } = options
  addSecrets(...secretsOf(connection))
  const { host, port, path, transport } = connection
  const begun = performance.now()
  log.info({ event: 'DOWNLOAD_START', host, port, path, transport }, 'the download begins')
  try {
    const outcome = await fetchWithin(connection, options)
    await tellEnd(outcome, log, begun)
    return outcome
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const failure = classify(error, connection)
    tellFailure(failure, log, options.isLastAttempt ?? false)
    throw failure
  }
}

async function fetchWithin(connection: FeedConnection, options: FetchOptions): Promise<FetchOutcome> {
  checkPath(connection)
  if (connection.transport === 'FTP' && !options.allowPlainFtp)
    throw transportFailure(
      'PLAIN_FTP_NOT_ALLOWED',
      `${serverOf(connection)}: FTP sends the password in clear, and is not allowed here.`,
    )
  const limits = { ...standardLimits, ...options.limits }
  using total = watch(options.signal)
  total.limit(limits.totalMs, () => tookTooLong(connection, limits))
  await sweepFiles(options.dir)
  const file = await openPrivateFile(options.dir)
  let isHandedOut = false
  try {
    const standard = {
      isUnchanged: () => false,
      onHostKey: () => Promise.resolve(),
      lastKnown: {},
      onProgress: () => {},
      reconnectMs: 1_000,
    }
    const download: Download = { ...standard, ...options, connection, file, limits, signal: total.signal }
    const kind = await downloadWhole(download, options.reconnectMs ?? standard.reconnectMs)
    const { stat = {} } = download
    if (kind === 'unchanged') return { kind, stat }
    isHandedOut = true
    return { kind, ...handOut(file, stat) }
  } finally {
    if (!isHandedOut) await file[Symbol.asyncDispose]()
  }
}

/** In one session, or, where that is lost on the way, in a few. */
async function downloadWhole(download: Download, reconnectMs: number): Promise<'fetched' | 'unchanged'> {
  const { connection, log, signal, file } = download
  for (let attempt = 1; ; attempt++) {
    try {
      return await downloadOnce(download)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const failure = classify(error, connection)
      const isWorthAnother = worthAnother.includes(failure.code) || download.cannotResume === true
      if (attempt > mostReconnects || file.bytes === 0 || !isWorthAnother) throw failure
      const what = { attempt, maxAttempts: mostReconnects + 1, error: failure.message, retryInMs: reconnectMs }
      log.warn(
        { event: 'DOWNLOAD_RETRY', ...what, bytesDownloaded: file.bytes },
        'the connection was lost: it is made again',
      )
      await wait(reconnectMs, undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }
}

/** Once bytes have come, the server is there: it may be back in a second. */
const worthAnother: FailureCode[] = ['TRANSFER_INTERRUPTED', 'FEED_HOST_UNREACHABLE', 'FEED_SERVER_BUSY']

const handOut = (file: PrivateFile, stat: RemoteStat) => ({
  bytes: file.bytes,
  sha256: file.sha256(),
  stat,
  handle: file.handle,
  [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
})

async function tellEnd(outcome: FetchOutcome, log: Log, begun: number): Promise<void> {
  if (outcome.kind === 'unchanged') {
    log.info({ event: 'DOWNLOAD_SKIPPED_UNCHANGED', reason: 'UNCHANGED_MTIME' }, 'the file is as it was')
    return
  }
  const { buffer } = await outcome.handle.read(Buffer.alloc(4), 0, 4, 0)
  const what = { bytes: outcome.bytes, durationMs: since(begun), compressionType: compressionOf(buffer) }
  log.info({ event: 'DOWNLOAD_COMPLETE', ...what }, 'the file is here')
}

/** What a retry cannot mend is an error at once, with what to do (S2 §16.3). */
function tellFailure(failure: JobError, log: Log, isLastAttempt: boolean): void {
  const { code, hint } = failure
  const classification = classificationOf(code)
  const willRetry = classification === 'transient' && !isLastAttempt
  log.error(
    { event: 'DOWNLOAD_FAILED', error: reason(failure), code, classification, hint, willRetry },
    'the download failed',
  )
  if (classification !== 'transient')
    log.info({ event: 'RETRY_SKIPPED', classification, code, hint }, 'no retry can help')
}

function tookTooLong(connection: FeedConnection, { totalMs }: Limits): JobError {
  return transportFailure(
    'TRANSFER_TIMED_OUT',
    `${targetOf(connection)}: the download took longer than ${totalMs / 1000} s.`,
  )
}
