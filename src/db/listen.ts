import pg from 'pg'
import type { Log } from '../log.ts'

export type Listener = AsyncDisposable & {
  /** Calls `heard` with each payload of a channel, and `missed` after a gap in which some may have been lost. */
  on(channel: string, heard: (payload: string) => void, missed: () => void): Disposable
  readonly connected: boolean
}

type Ear = { heard: (payload: string) => void; missed: () => void }

const firstRetryMs = 100
const longestRetryMs = 5_000
const probeMs = 10_000

/** One connection a process that LISTENs. It reconnects for ever; after a gap its ears are told that they may have missed something. */
export async function listen(url: string, log: Log): Promise<Listener> {
  const channels = new Map<string, Set<Ear>>()
  const closing = new AbortController()
  let client: pg.Client | undefined
  let retryMs = firstRetryMs
  let timer: NodeJS.Timeout | undefined

  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'freshet:listen',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    next.on('notification', ({ channel, payload = '' }) => channels.get(channel)?.forEach((ear) => ear.heard(payload)))
    next.on('error', (error) => lost(next, error))
    next.on('end', () => lost(next, new Error('the server closed the connection')))
    await next.connect()
    for (const channel of channels.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
    client = next
    retryMs = firstRetryMs
    schedule(probe, probeMs)
  }
  const lost = (which: pg.Client, error: Error) => {
    if (client !== which || closing.signal.aborted) return
    client = undefined
    log.warn({ error: error.message }, 'the LISTEN connection was lost')
    void which.end().catch(() => {})
    schedule(reconnect, retryMs)
  }
  const reconnect = async () => {
    try {
      await connect()
      log.info('the LISTEN connection is back')
      for (const ears of channels.values()) for (const ear of ears) ear.missed()
    } catch (error) {
      log.debug({ error: (error as Error).message }, 'the LISTEN connection is still down')
      retryMs = Math.min(retryMs * 2, longestRetryMs)
      schedule(reconnect, retryMs)
    }
  }
  // A connection that died silently (a pulled cable, a firewall) shows no error until something is sent over it.
  const probe = async () => {
    const asked = client
    if (!asked) return
    const deadline = setTimeout(() => lost(asked, new Error('no answer to a probe')), 5_000).unref()
    try {
      await asked.query('select 1')
      schedule(probe, probeMs)
    } catch (error) {
      lost(asked, error as Error)
    } finally {
      clearTimeout(deadline)
    }
  }
  const schedule = (what: () => Promise<void>, afterMs: number) => {
    clearTimeout(timer)
    if (!closing.signal.aborted) timer = setTimeout(() => void what(), afterMs).unref()
  }

  await connect()
  return {
    get connected() {
      return client !== undefined
    },
    on(channel, heard, missed) {
      const ear = { heard, missed }
      const ears = channels.get(channel) ?? new Set()
      if (!channels.has(channel)) {
        channels.set(channel, ears)
        client
          ?.query(`listen ${pg.escapeIdentifier(channel)}`)
          .then(missed, (error: Error) => client && lost(client, error))
      }
      ears.add(ear)
      return { [Symbol.dispose]: () => void ears.delete(ear) }
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
