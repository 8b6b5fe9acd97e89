import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { open, stat } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import ssh2, { type AuthContext, type Connection, type ParsedKey, type SFTPWrapper } from 'ssh2'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

/** A file that is served, from memory or from the disk of this machine. */
export type ServedFile = { bytes: Buffer; mtime: Date } | { path: string }

/** Who may log in, by user name: with a password, with a key, or with both. */
export type SftpUsers = Record<string, { password?: string; publicKey?: string }>

export type SftpAttributes = { size?: number; mtime?: number; isFolder?: boolean }
/** What is answered instead: an SFTP status, or nothing at all. */
export type SftpRefusal = number | 'silence'

/** How a server differs from a good one; tests make it go wrong here. */
export type SftpBehaviour = {
  stat?: (path: string, found: SftpAttributes) => SftpAttributes | SftpRefusal
  open?: (path: string) => SftpRefusal | undefined
  read?: (
    bytes: Buffer,
    request: { path: string; offset: number; cut: () => void },
  ) => Promise<Buffer | SftpRefusal> | Buffer | SftpRefusal
  session?: () => boolean
  /** Told of every attempt to log in. */
  login?: (username: string, method: string) => void
}

export type SftpServerOptions = {
  users: SftpUsers
  files: Map<string, ServedFile>
  hostKey?: string
  port?: number
  behaviour?: SftpBehaviour
}

/**
 * A new pair of keys, in OpenSSH's form. Not Ed25519: of those that ssh2 makes, it cannot read one in 200 itself, which begin
 * with a zero that it leaves out.
 */
export const makeKeys = (options: { passphrase?: string } = {}) =>
  ssh2.utils.generateKeyPairSync('ecdsa', {
    bits: 256,
    ...(options.passphrase !== undefined && { passphrase: options.passphrase, cipher: 'aes256-cbc', rounds: 8 }),
  })

/** A new host key. */
export const makeHostKey = (): string => makeKeys().private

/** A real SSH server on loopback that serves files for reading, and nothing else. */
export async function startSftpServer({
  users,
  files,
  hostKey = makeHostKey(),
  port = 0,
  behaviour = {},
}: SftpServerOptions) {
  const connections = new Set<Connection>()
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (connection) => {
    connections.add(connection)
    socketOf(connection).setNoDelay(true)
    connection.on('error', () => {}) // a client that goes away without a word
    connection.on('close', () => connections.delete(connection))
    connection.on('authentication', (context) => {
      behaviour.login?.(context.username, context.method)
      if (mayEnter(users[context.username], context)) context.accept()
      else context.reject(['password', 'publickey'])
    })
    connection.on('session', (acceptSession) =>
      acceptSession().on('sftp', (accept, reject) => {
        if (behaviour.session?.() === false) reject()
        else serve(accept(), files, behaviour, () => socketOf(connection).end())
      }),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    hostKey,
    connections,
    async [Symbol.asyncDispose]() {
      for (const connection of connections) socketOf(connection).destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** ssh2 says goodbye when it ends a connection; a broken line does not. */
const socketOf = (connection: Connection) => (connection as Connection & { _sock: Socket })._sock

function mayEnter(user: SftpUsers[string] | undefined, context: AuthContext): boolean {
  if (context.method === 'password') return user?.password !== undefined && equals(context.password, user.password)
  if (context.method !== 'publickey' || user?.publicKey === undefined) return false
  const allowed = ssh2.utils.parseKey(user.publicKey) as ParsedKey
  if (!allowed.getPublicSSH().equals(context.key.data)) return false
  if (!context.signature) return true // the client asks whether this key would do
  const verified: unknown = allowed.verify(context.blob!, context.signature, context.hashAlgo)
  return verified === true // ssh2 answers an Error, too
}

function equals(one: string, two: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(two)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Answers the requests of one session. */
function serve(sftp: SFTPWrapper, files: Map<string, ServedFile>, behaviour: SftpBehaviour, cut: () => void): void {
  const opened = new Map<number, string>()
  let next = 0
  const refuse = (id: number, refusal: SftpRefusal) => refusal === 'silence' || sftp.status(id, refusal)
  const tell = async (id: number, path: string) => {
    const found = await attributesOf(files, path)
    if (!found) return refuse(id, STATUS_CODE.NO_SUCH_FILE)
    const shown = behaviour.stat?.(path, found) ?? found
    if (typeof shown !== 'object') return refuse(id, shown)
    sftp.attrs(id, wireAttributes(shown) as never)
  }
  const give = async (id: number, handle: Buffer, offset: number, length: number) => {
    const path = opened.get(handle.readUInt32BE(0))
    const file = path === undefined ? undefined : files.get(path)
    if (path === undefined || !file) return refuse(id, STATUS_CODE.FAILURE)
    const bytes = await readPart(file, offset, length)
    const given = (await behaviour.read?.(bytes, { path, offset, cut })) ?? bytes
    if (!Buffer.isBuffer(given)) return refuse(id, given)
    if (given.length === 0) sftp.status(id, STATUS_CODE.EOF)
    else sftp.data(id, given)
  }
  sftp.on('error', () => {})
  sftp.on('REALPATH', (id, path) =>
    sftp.name(id, [{ filename: path === '.' ? '/' : path, longname: '', attrs: {} as never }]),
  )
  sftp.on('STAT', (id, path) => void tell(id, path))
  sftp.on('LSTAT', (id, path) => void tell(id, path))
  sftp.on('OPEN', (id, path, flags) => {
    const refusal = behaviour.open?.(path) ?? (flags & OPEN_MODE.WRITE ? STATUS_CODE.PERMISSION_DENIED : undefined)
    if (refusal !== undefined) refuse(id, refusal)
    else if (!files.has(path)) refuse(id, STATUS_CODE.NO_SUCH_FILE)
    else {
      const handle = Buffer.alloc(4)
      handle.writeUInt32BE(next)
      opened.set(next++, path)
      sftp.handle(id, handle)
    }
  })
  sftp.on('READ', (id, handle, offset, length) => void give(id, handle, offset, length))
  sftp.on('CLOSE', (id, handle) => {
    opened.delete(handle.readUInt32BE(0))
    sftp.status(id, STATUS_CODE.OK)
  })
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

async function attributesOf(files: Map<string, ServedFile>, path: string): Promise<SftpAttributes | undefined> {
  const file = files.get(path)
  if (!file) {
    const isFolder = [...files.keys()].some((name) => name.startsWith(`${path.replace(/\/$/, '')}/`))
    return isFolder ? { isFolder } : undefined
  }
  if ('bytes' in file) return { size: file.bytes.length, mtime: seconds(file.mtime) }
  const { size, mtime } = await stat(file.path)
  return { size, mtime: seconds(mtime) }
}

const wireAttributes = ({ size, mtime, isFolder }: SftpAttributes) => ({
  mode: isFolder ? 0o040555 : 0o100444,
  ...(size !== undefined && { size }),
  ...(mtime !== undefined && { mtime, atime: mtime }),
})

async function readPart(file: ServedFile, offset: number, length: number): Promise<Buffer> {
  if ('bytes' in file) return file.bytes.subarray(offset, offset + length)
  await using handle = await open(file.path)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}
