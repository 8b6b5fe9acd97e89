import { createHash } from 'node:crypto'
import ssh2 from 'ssh2'
import {
  makeHostKey,
  makeKeys,
  startSftpServer as start,
  type ServedFile,
  type SftpAttributes,
  type SftpRefusal,
  type SftpServerOptions,
} from '../../src/cli/demo/sftp-server.ts'
import type { FeedConnection } from '../../src/domain/feeds/transport/connection.ts'

export { makeHostKey, makeKeys }

export const sftpUser = { username: 'freshet', password: 'canary-sftp-pässword' }

/** What goes wrong, set and unset between two downloads. Bytes are counted from the moment that a switch is read first. */
export type SftpFaults = {
  /** Breaks the line once so many bytes of the file are on their way, so many times. */
  cutAfter?: { bytes: number; times: number }
  /** Says nothing any more from there on. */
  stallAfter?: number
  /** Answers no more than this to one request. */
  mostAtOnce?: number
  /** Waits before each answer. */
  slowMs?: number
  /** Ends the file here, as a server does that has lost the rest. */
  endAt?: number
  stat?: (found: SftpAttributes) => SftpAttributes | SftpRefusal
  open?: SftpRefusal
  read?: SftpRefusal
  noSftp?: boolean
  /** Done once, when the file is read from here on. */
  whenAt?: { bytes: number; act: () => void }
}

const fingerprint = (privateKey: string) => {
  const key = ssh2.utils.parseKey(privateKey) as ssh2.ParsedKey
  return `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`
}

/** A real SSH server on loopback with one user and one file, which goes wrong as `faults` says. */
export async function startSftpServer(options: Partial<SftpServerOptions> = {}) {
  const faults: SftpFaults = {}
  const path = '/feeds/catalog.csv'
  const files: Map<string, ServedFile> = options.files ?? new Map()
  const reads: number[] = []
  const logins: string[] = []
  const users = { [sftpUser.username]: { password: sftpUser.password }, ...options.users }
  const behaviour = {
    stat: (_path: string, found: SftpAttributes) => faults.stat?.(found) ?? found,
    open: () => faults.open,
    session: () => !faults.noSftp,
    login: (username: string, method: string) => void logins.push(`${username} by ${method}`),
    read: (bytes: Buffer, { offset, cut }: { offset: number; cut: () => void }) => {
      reads.push(offset)
      return spoil(faults, bytes, offset, cut)
    },
  }
  const server = await start({ ...options, users, files, behaviour })
  const { username, password } = sftpUser
  const connection: FeedConnection = {
    transport: 'SFTP',
    tlsMode: 'EXPLICIT',
    host: server.host,
    port: server.port,
    path,
    username,
    secret: { password },
    hostKeys: [],
  }
  return {
    ...server,
    faults,
    files,
    path,
    /** Where the requests for bytes began. */
    reads,
    logins,
    fingerprint: fingerprint(server.hostKey),
    connection,
    serve: (bytes: Buffer, mtime = new Date('2026-01-02T03:04:05Z')) => void files.set(path, { bytes, mtime }),
    /** Back to a good server. */
    mend() {
      for (const name of Object.keys(faults)) delete faults[name as keyof SftpFaults]
      reads.length = 0
      logins.length = 0
    },
  }
}

async function spoil(
  faults: SftpFaults,
  bytes: Buffer,
  offset: number,
  cut: () => void,
): Promise<Buffer | SftpRefusal> {
  const { cutAfter, stallAfter, mostAtOnce, slowMs, endAt, whenAt } = faults
  if (slowMs) await new Promise((resolve) => setTimeout(resolve, slowMs))
  if (whenAt && offset >= whenAt.bytes) {
    delete faults.whenAt
    whenAt.act()
  }
  if (faults.read !== undefined) return faults.read
  if (stallAfter !== undefined && offset >= stallAfter) return 'silence'
  if (cutAfter && cutAfter.times > 0 && offset >= cutAfter.bytes) {
    cutAfter.times--
    cut()
    return 'silence'
  }
  const end = endAt === undefined ? bytes.length : Math.max(0, endAt - offset)
  return bytes.subarray(0, Math.min(end, mostAtOnce ?? bytes.length))
}
