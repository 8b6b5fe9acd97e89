import type { Config } from '../config.ts'
import { unlessStopped } from '../interrupt.ts'
import { openEmbedded } from './embedded/server.ts'

/** Where Postgres is for this process. Disposing lets go of an embedded server; the last one to do so stops it. */
export type Database = AsyncDisposable & {
  url: string
  /** A connection that no pooler stands in: for migrations, locks and LISTEN. */
  directUrl: string
  isEmbedded: boolean
  /** For people, without the password. */
  description: string
}

/** Whoever opens it may stop doing so, and hears of the steps that take seconds before they begin. */
export type Opening = { signal?: AbortSignal; tell?: (step: string) => void }

/** What a stopped opening has to put away: half-made files, a server that is starting. */
const graceMs = 8_000

/** The Postgres named by DATABASE_URL, or the embedded one of the data directory. */
export async function openDatabase(
  { database, dataDir }: Config,
  { signal = new AbortController().signal, tell = () => {} }: Opening = {},
): Promise<Database> {
  if (database.url) {
    const { host, pathname } = new URL(database.url)
    return {
      url: database.url,
      directUrl: database.directUrl ?? database.url,
      isEmbedded: false,
      description: `${host || 'local socket'}${pathname}`,
      [Symbol.asyncDispose]: async () => {},
    }
  }
  const server = await unlessStopped(signal, openEmbedded(dataDir, { signal, tell }), graceMs)
  const url = server.url('freshet')
  return {
    url,
    directUrl: url,
    isEmbedded: true,
    description: `embedded ${server.version} on port ${server.port}, data in ${server.dataDir}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
