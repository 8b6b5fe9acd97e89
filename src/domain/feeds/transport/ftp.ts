import { PassThrough } from 'node:stream'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { isIP, type Socket } from 'node:net'
import { once } from 'node:events'
import { Client, FTPError } from 'basic-ftp'
import { orAborted } from '../../fetch/or-aborted.ts'
import { isInCalendar } from '../../moment.ts'
import type { FeedConnection, RemoteStat } from './connection.ts'
import { closeSocket, expectProtocol, openSocket } from './open-socket.ts'
import type { FeedSession, SessionDoor } from './session.ts'

/**
 * Logs in by FTP, over TLS where the feed says so; always passive, and data connections go to the address of the control
 * connection only. The certificate is judged before the password is sent.
 */
export async function openFtp(connection: FeedConnection, door: SessionDoor): Promise<FeedSession> {
  const socket = await openSocket(connection, door)
  const client = new Client(0) // the time limits are ours
  const close = async () => {
    const { dataSocket } = client.ftp
    client.close()
    await Promise.all([socket, ...(dataSocket ? [dataSocket] : [])].map(closeSocket))
  }
  try {
    await orAborted(door.signal, logIn(client, socket, connection, door))
    return {
      stat: () => statOf(client, connection.path),
      download: (start) => download(client, connection.path, start),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function logIn(client: Client, socket: Socket, connection: FeedConnection, door: SessionDoor): Promise<void> {
  const { transport, tlsMode, username, secret } = connection
  const tls = tlsOptions(connection)
  if (transport === 'FTPS' && tlsMode === 'IMPLICIT') {
    client.ftp.socket = await startTls(socket, tls, door)
    client.ftp.tlsOptions = tls
  } else {
    client.ftp.socket = socket
    expectProtocol(socket, 'FTP', connection, door.cut)
  }
  await welcome(client)
  if (transport === 'FTPS' && tlsMode === 'EXPLICIT') await client.useTLS(tls)
  await client.sendIgnoringError('OPTS UTF8 ON') // names and passwords may hold more than ASCII
  await client.login(username, secret.password ?? '')
  await client.useDefaultSettings()
}

/** The name is what the certificate must be for, though the connection goes to an address. A name that is one has no SNI. */
function tlsOptions({ host }: FeedConnection): ConnectionOptions {
  return { host, minVersion: 'TLSv1.2', ...(isIP(host) === 0 && { servername: host }) }
}

async function startTls(socket: Socket, options: ConnectionOptions, { signal }: SessionDoor): Promise<TLSSocket> {
  const secure = connectTls({ ...options, socket })
  secure.on('error', () => {})
  await once(secure, 'secureConnect', { signal })
  return secure
}

function welcome({ ftp }: Client): Promise<void> {
  return ftp.handle(undefined, (answer, task) => {
    if (answer instanceof Error) task.reject(answer)
    else if (answer.code < 300 && answer.code >= 200) task.resolve(answer)
    else task.reject(new FTPError(answer))
  }) as Promise<void>
}

/**
 * SIZE and MDTM are extensions: a server that knows them not, or refuses them, has said nothing of the file. Neither has one that
 * names a time of no calendar, which nobody could be shown, or less than no byte.
 */
async function statOf(client: Client, path: string): Promise<RemoteStat> {
  const size = await orNothing(client.size(path))
  const mtime = await orNothing(client.lastMod(path))
  return { ...(size !== undefined && size >= 0 && { size }), ...(mtime && isInCalendar(mtime) && { mtime }) }
}

const orNothing = <Value>(asked: Promise<Value>): Promise<Value | undefined> =>
  asked.catch((error: unknown) => {
    const isRefused = error instanceof FTPError && error.code >= 500
    const isOdd = error instanceof Error && error.message.startsWith("Can't parse")
    if (isRefused || isOdd) return undefined
    throw error
  })

/**
 * The bytes as they come, and then the server's own word that this was all: a data connection that ends early looks like one
 * that ends.
 */
async function* download(client: Client, path: string, start: number): AsyncGenerator<Buffer> {
  const bytes = new PassThrough()
  const done = client.downloadTo(bytes, path, start)
  done.catch((error: Error) => bytes.destroy(error))
  yield* bytes as AsyncIterable<Buffer>
  await done
}
