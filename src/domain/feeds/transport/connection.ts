import type { FeedSecret } from '../credentials/secret.ts'

/** Where the file of a feed lies, and how to get at it; the secret in clear, so it lives no longer than the download. */
export type FeedConnection = {
  transport: 'SFTP' | 'FTP' | 'FTPS'
  /** Of FTPS only: asked for on the usual port, or from the first byte on a port of its own. */
  tlsMode: 'EXPLICIT' | 'IMPLICIT'
  host: string
  port: number
  path: string
  username: string
  secret: FeedSecret
  /** Accepted host keys of SFTP, as `SHA256:…`. None: the first one seen is learned. */
  hostKeys: string[]
}

/** What the server says of a file. Many know only one of the two, and some of them coarsely. */
export type RemoteStat = { size?: number; mtime?: Date }

/** All that must never be seen of a connection. */
export const secretsOf = ({ secret }: Pick<FeedConnection, 'secret'>): string[] =>
  [secret.password, secret.privateKey, secret.passphrase].filter(
    (text) => text !== undefined && text !== '',
  ) as string[]

/** The server, as messages name it. */
export const serverOf = ({ host, port }: Pick<FeedConnection, 'host' | 'port'>): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

/** The file, as messages name it. */
export const targetOf = (connection: Pick<FeedConnection, 'host' | 'port' | 'path'>): string =>
  `${serverOf(connection)}/${connection.path.replace(/^\//, '')}`
