import type { Log } from '../../../log.ts'
import { resolveAllowed } from '../../fetch/address-guard.ts'
import { orAborted } from '../../fetch/or-aborted.ts'
import { transportFailure } from './classify.ts'
import { serverOf, targetOf, type FeedConnection, type RemoteStat } from './connection.ts'
import { watch, type Limits, type Watch } from './limits.ts'
import type { PrivateFile } from './private-file.ts'
import { tellProgress } from './progress.ts'
import { openSession, type FeedSession } from './session.ts'

/** What a download needs, and how far it has come: it outlives the sessions that it takes. */
export type Download = {
  connection: FeedConnection
  file: PrivateFile
  signal: AbortSignal
  log: Log
  limits: Limits
  allowPrivate: boolean
  maxBytes: number
  isUnchanged: (stat: RemoteStat) => boolean
  onHostKey: (fingerprint: string) => Promise<void>
  lastKnown: RemoteStat
  onProgress: (progress: { bytes: number; total: number | undefined }) => void
  /** What the server said of the file before the first byte that is here. */
  stat?: RemoteStat
  hostKey?: string
  /** A server that did not go on where the last session ended is asked for the whole. */
  cannotResume?: boolean
}

/** Reads the file, or what is missing of it, in one session. Answers whether there was anything to read. */
export async function downloadOnce(download: Download): Promise<'fetched' | 'unchanged'> {
  const { connection, log, limits, signal } = download
  using guard = watch(signal)
  guard.limit(limits.connectMs, () => tooLate(download))
  const begun = performance.now()
  const { allowPrivate } = download
  const addresses = await resolveAllowed(connection.host, { allowPrivate, signal: guard.signal })
  await using session = await openSession(pinned(download), {
    addresses,
    signal: guard.signal,
    cut: (reason) => guard.cut(reason),
    onHostKey: (fingerprint) => learn(fingerprint, download),
  })
  log.debug({ event: 'FTP_CONNECTED', host: connection.host, connectionTimeMs: since(begun) }, 'connected')
  guard.limit(limits.idleMs, () => stalled(download))
  return await readFrom(session, download, guard)
}

async function readFrom(session: FeedSession, download: Download, guard: Watch): Promise<'fetched' | 'unchanged'> {
  const { connection, file } = download
  const stat = await ask(guard, session.stat())
  tellStat(download, stat)
  if (file.bytes > 0 && !mayResume(download, stat)) await file.restart()
  if (file.bytes === 0) download.stat = stat
  if (file.bytes === 0 && download.isUnchanged(stat)) return 'unchanged'
  if ((stat.size ?? 0) > download.maxBytes) throw tooLarge(download, `the server says that it has ${stat.size} bytes`)
  if (file.bytes === 0 || file.bytes !== stat.size) await receive(session, download, guard)
  const after = await ask(guard, session.stat())
  if (differs(stat, after))
    throw transportFailure(
      'FEED_FILE_CHANGED',
      `${targetOf(connection)} was changed while it was read (${change(stat, after)}).`,
    )
  const size = after.size ?? stat.size
  if (size !== undefined && size !== file.bytes)
    throw transportFailure(
      'TRANSFER_INCOMPLETE',
      `${targetOf(connection)}: ${file.bytes} bytes arrived, but the server says that the file has ${size}.`,
    )
  return 'fetched'
}

/** By hand, for a loop over the iterator would wait for a server that does not answer any more. */
async function receive(session: FeedSession, download: Download, guard: Watch): Promise<void> {
  const { file, maxBytes, onProgress } = download
  const total = download.stat?.size
  const tell = tellProgress(download.log, file.bytes, total)
  const start = file.bytes
  download.cannotResume = start > 0 // until it is seen that the server can
  const chunks = session.download(start)[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await orAborted(guard.signal, chunks.next())
    if (done) break
    download.cannotResume = false
    guard.touch(value.length)
    const room = maxBytes - file.bytes
    if (value.length > room) throw tooLarge(download, `it goes on after that many`)
    await file.write(value)
    onProgress({ bytes: file.bytes, total })
    tell(file.bytes)
  }
  guard.touch()
}

async function ask<Answer>(guard: Watch, answer: Promise<Answer>): Promise<Answer> {
  const heard = await orAborted(guard.signal, answer)
  guard.touch()
  return heard
}

/** The first server that let us in is the one: it has our password now, and no other is to get it, though its file be not there. */
async function learn(fingerprint: string, download: Download): Promise<void> {
  if (download.hostKey !== undefined) return
  download.hostKey = fingerprint
  if (download.connection.hostKeys.length === 0) await download.onHostKey(fingerprint)
}

/** A key that was learned in the first session holds for the next ones. */
const pinned = ({ connection, hostKey }: Download): FeedConnection =>
  connection.hostKeys.length === 0 && hostKey !== undefined ? { ...connection, hostKeys: [hostKey] } : connection

/** Only where the server knows both can it be told that the file is still the one whose beginning is here. */
function mayResume({ stat: before, cannotResume }: Download, now: RemoteStat): boolean {
  const isKnown = [before?.size, before?.mtime, now.size, now.mtime].every((value) => value !== undefined)
  return !cannotResume && isKnown && !differs(before!, now)
}

/** Whether something that was known both times is not the same. */
function differs(one: RemoteStat, two: RemoteStat): boolean {
  const pairs = [
    [one.size, two.size],
    [one.mtime?.getTime(), two.mtime?.getTime()],
  ]
  return pairs.some(([before, after]) => before !== undefined && after !== undefined && before !== after)
}

const change = (one: RemoteStat, two: RemoteStat) =>
  one.size === two.size
    ? `last changed ${one.mtime?.toISOString()}, now ${two.mtime?.toISOString()}`
    : `${one.size} bytes, now ${two.size}`

function tellStat({ log, lastKnown }: Download, { size, mtime }: RemoteStat) {
  const known = { lastKnownMtime: lastKnown.mtime, lastKnownSize: lastKnown.size }
  log.debug({ event: 'FILE_STAT', remoteMtime: mtime, remoteSize: size, ...known }, 'looked at the file')
}

export const since = (begun: number) => Math.round(performance.now() - begun)

function tooLarge({ connection, maxBytes }: Download, why: string) {
  const message = `${targetOf(connection)} is larger than the ${maxBytes} bytes that the feed allows: ${why}.`
  return transportFailure('FILE_SIZE_LIMIT_EXCEEDED', message)
}

function tooLate({ connection, limits }: Download) {
  const message = `${serverOf(connection)} did not let us in within ${limits.connectMs / 1000} s.`
  return transportFailure('FEED_HOST_UNREACHABLE', message)
}

function stalled({ connection, file, limits }: Download) {
  const message = `${targetOf(connection)}: hardly anything came for ${limits.idleMs / 1000} s, after ${file.bytes} bytes.`
  return transportFailure('TRANSFER_TIMED_OUT', message)
}
