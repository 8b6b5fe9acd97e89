import { once } from 'node:events'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { PermanentError } from '../../queue/job-error.ts'
import { serverOf, type FeedConnection } from './connection.ts'
import type { SessionDoor } from './session.ts'

/** A TCP connection to one of the checked addresses, whichever answers first. The name is looked up by nobody. */
export async function openSocket({ port }: FeedConnection, { addresses, signal }: SessionDoor): Promise<Socket> {
  const checked: LookupFunction = (_name, { all }, callback) => {
    if (all) callback(null, addresses)
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }
  const [first] = addresses
  const host = addresses.length === 1 ? first!.address : 'checked'
  const socket = connect({ host, port, lookup: checked, autoSelectFamily: true })
  try {
    await once(socket, 'connect', { signal })
  } catch (error) {
    socket.destroy()
    throw error
  }
  socket.setKeepAlive(true, 30_000)
  socket.setNoDelay(true) // small requests that wait for answers
  socket.on('error', () => {}) // whoever uses it hears its errors; a late one must not end the process
  return socket
}

/** Destroys a socket and waits until it is gone. */
export async function closeSocket(socket: Socket): Promise<void> {
  socket.destroy()
  if (!socket.closed) await once(socket, 'close').catch(() => {})
}

const spoken: [RegExp, string][] = [
  [/^SSH-/, 'SSH'],
  [/^220[ -]/, 'FTP'],
  [/^(HTTP\/|<!doctype|<html)/i, 'HTTP'],
  // oxlint-disable-next-line no-control-regex -- a TLS record begins with a control character
  [/^[\x14-\x17]\x03[\x00-\x04]/, 'TLS'],
]

/**
 * Looks at the first bytes that the server says. Where they are of another protocol both sides would wait for each other until
 * the time limit, so the session is cut with what was found. Call it before the socket's data are read.
 */
export function expectProtocol(
  socket: Socket,
  expected: 'SSH' | 'FTP',
  connection: FeedConnection,
  cut: SessionDoor['cut'],
): void {
  socket.once('data', (bytes: Buffer | string) => {
    const text = bytes.toString('latin1')
    const found = spoken.find(([form]) => form.test(text))?.[1]
    if (found === undefined || found === expected) return
    cut(
      new PermanentError(
        `${serverOf(connection)} speaks ${found}, but the feed is set to ${connection.transport}${tlsOf(connection)}.`,
        { code: 'TRANSPORT_MISMATCH' },
      ),
    )
  })
}

const tlsOf = ({ transport, tlsMode }: FeedConnection) =>
  transport === 'FTPS' ? ` with ${tlsMode.toLowerCase()} TLS` : ''
