import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import type { KeyRing } from './credentials/key-ring.ts'
import { decryptSecret, secretContext } from './credentials/secret.ts'
import type { ColumnMap } from './dialects/column-map.ts'
import type { DecimalMarkName } from './row/decimal-mark.ts'
import type { FeedConnection } from './transport/connection.ts'

/** A feed as a run sees it. */
export type FeedForRun = {
  id: string
  /** Null in the test of an input that nobody stored. */
  sourceId: string | null
  sourceName: string
  network: string | null
  transport: FeedConnection['transport']
  tlsMode: FeedConnection['tlsMode'] | null
  host: string
  port: number | null
  path: string
  username: string
  hostKeys: string[]
  secretCiphertext: Uint8Array | null
  secretKeyId: string | null
  secretVersion: number
  dialect: 'IMPACT' | 'GENERIC'
  delimiter: DelimiterName | null
  quoting: 'QUOTED' | 'NONE' | null
  columnMap: ColumnMap
  defaultCurrency: string
  decimalMark: DecimalMarkName | null
  maxFileSizeBytes: number
  maxRowCount: number
  maxProductCount: number
  unchangedPolicy: 'KEEP' | 'REFRESH'
  /** Its settings that say which file is read, and how: `feed_reading`. */
  reading: unknown
  lastRemoteMtime: Date | null
  lastRemoteSize: number | null
  lastContentHash: Uint8Array | null
  /** An operator asked that the file be processed although it did not change. */
  isForced: boolean
  /** Whether anything of its source was ever shown. */
  isPromoted: boolean
}

export type DelimiterName = 'COMMA' | 'TAB' | 'PIPE' | 'SEMICOLON'

/** The letters that the names of delimiters stand for. */
export const delimiterOf = { COMMA: ',', TAB: '\t', PIPE: '|', SEMICOLON: ';' } as const satisfies Record<
  DelimiterName,
  string
>

const usualPort = { SFTP: 22, FTP: 21, FTPS: 21 }
const implicitTlsPort = 990

const text = readQuery('feed_for_run')

/** Reads a feed as a run, or a test, needs it. */
export async function readFeedForRun(sql: Sql, feedId: string, runId?: string): Promise<FeedForRun> {
  const [feed] = await queryRows<FeedForRun>(sql, text, [feedId, runId ?? null])
  if (!feed) throw new Error(`There is no feed ${feedId}.`)
  return feed
}

/** The port that a transport usually has. */
export const portOf = ({ transport, tlsMode, port }: Pick<FeedForRun, 'transport' | 'tlsMode' | 'port'>): number =>
  port ?? (tlsMode === 'IMPLICIT' ? implicitTlsPort : usualPort[transport])

/** How to get at the file, the secret in clear: made just before it is used (S2 §10.4). */
export function connectionOf(feed: FeedForRun, keyRing: KeyRing): FeedConnection {
  const { id, transport, host, path, username, hostKeys, secretCiphertext, secretKeyId, secretVersion } = feed
  const secret =
    secretCiphertext && secretKeyId
      ? decryptSecret(keyRing, { secretCiphertext, secretKeyId }, secretContext(id, secretVersion))
      : {}
  const tlsMode = feed.tlsMode ?? 'EXPLICIT'
  return { transport, tlsMode, host, port: portOf(feed), path, username, secret, hostKeys }
}
