import { Client, type SFTPWrapper, type Stats } from 'ssh2'
import { PermanentError } from '../../queue/job-error.ts'
import { orAborted } from '../../fetch/or-aborted.ts'
import { transportFailure } from './classify.ts'
import { serverOf, type FeedConnection, type RemoteStat } from './connection.ts'
import { notAFile } from './path.ts'
import { fingerprintOf, hostKeyChanged, isAccepted } from './host-key.ts'
import { closeSocket, expectProtocol, openSocket } from './open-socket.ts'
import type { FeedSession, SessionDoor } from './session.ts'
import { readFile } from './sftp-read.ts'

/** Logs in by SSH and starts SFTP. The host key is judged before anything secret is sent. */
export async function openSftp(connection: FeedConnection, door: SessionDoor): Promise<FeedSession> {
  const socket = await openSocket(connection, door)
  const client = new Client()
  const close = async () => {
    client.end()
    await closeSocket(socket)
  }
  // ssh2 does not tell those who wait for an answer that none will come.
  client.on('error', door.cut)
  client.on('close', () =>
    door.cut(transportFailure('TRANSFER_INTERRUPTED', `${serverOf(connection)} closed the connection.`)),
  )
  try {
    const ready = Promise.withResolvers<void>()
    client.once('ready', ready.resolve)
    const hostKey = begin(client, connection, { sock: socket, readyTimeout: 0 }, door)
    expectProtocol(socket, 'SSH', connection, door.cut)
    await orAborted(door.signal, ready.promise)
    await door.onHostKey(hostKey())
    const sftp = await orAborted(door.signal, startSftp(client))
    return {
      stat: () => statOf(sftp, connection.path),
      download: (start) => readFile(sftp, connection.path, start),
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

type More = Pick<Parameters<Client['connect']>[0], 'sock' | 'readyTimeout'>

/** Sends the first words, and answers where the host key will be found. */
function begin(client: Client, connection: FeedConnection, more: More, { cut }: SessionDoor): () => string {
  const { password, privateKey, passphrase } = connection.secret
  let hostKey = ''
  const hostVerifier = (key: Buffer) => {
    hostKey = fingerprintOf(key)
    const isGood = isAccepted(hostKey, connection.hostKeys)
    if (!isGood) cut(hostKeyChanged(connection, hostKey))
    return isGood
  }
  // Some servers ask for the password in a dialogue only.
  client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
    answer(prompts.map(() => password ?? '')),
  )
  try {
    client.connect({
      ...more,
      username: connection.username,
      hostVerifier,
      ...(password && { password, tryKeyboard: true }),
      ...(privateKey && { privateKey }),
      ...(passphrase && { passphrase }),
    })
  } catch (error) {
    throw privateKey ? unusableKey(error) : error
  }
  return () => hostKey
}

/** ssh2 reads the key before it connects. Its own words are not repeated: they may quote the key. */
function unusableKey(error: unknown): PermanentError {
  const isLocked = /passphrase|bad decrypt|integrity/i.test(String(error))
  const why = isLocked ? 'its passphrase is missing or wrong' : 'it has no form that is known'
  return new PermanentError(`The private key of the feed cannot be used: ${why}.`, { code: 'PRIVATE_KEY_UNUSABLE' })
}

const startSftp = (client: Client): Promise<SFTPWrapper> =>
  new Promise((resolve, reject) => client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))))

const noSuchFile = 2

/** Some servers let a file be read but not looked at: then nothing is known of it, and opening it tells the rest. */
async function statOf(sftp: SFTPWrapper, path: string): Promise<RemoteStat> {
  const stats = await new Promise<Stats | undefined>((resolve, reject) =>
    sftp.stat(path, (error, stats) => {
      if (!error) resolve(stats)
      else if ((error as { code?: unknown }).code === noSuchFile) reject(error)
      else resolve(undefined)
    }),
  )
  if (stats?.isDirectory()) throw notAFile(path, 'a folder')
  const { size, mtime } = stats ?? {}
  return {
    ...(size !== undefined && { size }),
    ...(mtime !== undefined && { mtime: new Date(mtime * 1000) }),
  }
}
