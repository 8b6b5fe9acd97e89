import type { CheckedAddress } from '../../fetch/address-guard.ts'
import type { FeedConnection, RemoteStat } from './connection.ts'
import { openFtp } from './ftp.ts'
import { openSftp } from './sftp.ts'

/** An open session with the server of a feed. Disposing of it ends every connection at once. */
export type FeedSession = AsyncDisposable & {
  /** What the server says of the file; what it does not say is left out. */
  stat(): Promise<RemoteStat>
  /** The bytes of the file in order, from `start` on. It ends well only if the server says that this was all. */
  download(start: number): AsyncIterable<Buffer>
}

/** What opening a session needs. `cut` ends all that waits with a reason better than the one the library will find. */
export type SessionDoor = {
  addresses: CheckedAddress[]
  signal: AbortSignal
  cut: (reason: Error) => void
  /** Told the host key of an SSH server as soon as that has let us in. */
  onHostKey: (fingerprint: string) => Promise<void>
}

/** Logs in to the server of a feed; on failure nothing is left open. */
export function openSession(connection: FeedConnection, door: SessionDoor): Promise<FeedSession> {
  return connection.transport === 'SFTP' ? openSftp(connection, door) : openFtp(connection, door)
}
