import pg from 'pg'
import { reason, type Log } from '../log.ts'

export type Listener = AsyncDisposable & {
  /** Calls `heard` with each payload of a channel, and `missed` whenever some may have been lost: at first, and after a gap. */
  on(channel: string, heard: (payload: string) => void, missed: () => void): Disposable
  readonly connected: boolean
}

type Ear = { heard: (payload: string) => void; missed: () => void }

const firstRetryMs = 100
const longestRetryMs = 5_000

/** How often the connection is asked for a sign of life, and how long it may take to answer. */
export const listenTiming = { probeMs: 10_000, answerMs: 5_000 }

/** One connection a process that LISTENs. It reconnects for ever; after a gap its ears are told that they may have missed something. */
export async function listen(url: string, log: Log, timing: Partial<typeof listenTiming> = {}): Promise<Listener> {
  const { probeMs, answerMs } = { ...listenTiming, ...timing }
  const channels = new Map<string, Set<Ear>>()
  let isClosing = false
  let client: pg.Client | undefined
  let latest: pg.Client | undefined
  let retryMs = firstRetryMs
  let timer: NodeJS.Timeout | undefined

  // One statement after the other: pg warns whoever sends the next before the last was answered.
  const turns = new WeakMap<pg.Client, Promise<unknown>>()
  const send = (to: pg.Client, text: string): Promise<unknown> => {
    const sent = (turns.get(to) ?? Promise.resolve()).then(() => to.query(text))
    turns.set(
      to,
      sent.catch(() => {}),
    )
    return sent
  }
  const safely = (channel: string, work: () => void) => {
    try {
      work()
    } catch (error) {
      log.error({ err: error, channel }, 'what was heard could not be handled')
    }
  }
  const tell = (channel: string, say: (ear: Ear) => void) =>
    channels.get(channel)?.forEach((ear) => safely(channel, () => say(ear)))
  const connect = async () => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'freshet:listen',
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    })
    latest = next
    next.on('notification', ({ channel, payload = '' }) => tell(channel, ({ heard }) => heard(payload)))
    next.on('error', (error) => lost(next, error))
    next.on('end', () => lost(next, new Error('the server closed the connection')))
    try {
      await next.connect()
      for (const channel of channels.keys()) await send(next, listenTo(channel))
    } catch (error) {
      void next.end().catch(() => {})
      throw error
    }
    client = next
    retryMs = firstRetryMs
    schedule(probe, probeMs)
  }
  const lost = (which: pg.Client, error: unknown) => {
    if (client !== which || isClosing) return
    client = undefined
    log.warn({ error: reason(error) }, 'the LISTEN connection was lost')
    void which.end().catch(() => {})
    schedule(reconnect, retryMs)
  }
  const reconnect = async () => {
    try {
      await connect()
      log.info('the LISTEN connection is back')
      for (const channel of channels.keys()) tell(channel, ({ missed }) => missed())
    } catch (error) {
      log.debug({ error: reason(error) }, 'the LISTEN connection is still down')
      retryMs = Math.min(retryMs * 2, longestRetryMs)
      schedule(reconnect, retryMs)
    }
  }
  // A connection that died silently (a pulled cable, a firewall) shows no error until something is sent over it.
  const probe = async () => {
    const asked = client
    try {
      if (asked) await send(asked, 'select 1')
      if (asked && client === asked) schedule(probe, probeMs)
    } catch (error) {
      if (asked) lost(asked, error)
    }
  }
  const schedule = (what: () => Promise<void>, afterMs: number) => {
    clearTimeout(timer)
    if (!isClosing) timer = setTimeout(() => void what(), afterMs).unref()
  }

  await connect()
  return {
    get connected() {
      return client !== undefined
    },
    on(channel, heard, missed) {
      const ear = { heard, missed }
      const ears = channels.get(channel) ?? new Set()
      channels.set(channel, ears.add(ear))
      const asked = client // without one, the next connection listens to this channel too
      if (asked)
        send(asked, listenTo(channel)).then(
          () => safely(channel, missed),
          (error: unknown) => lost(asked, error),
        )
      return { [Symbol.dispose]: () => void ears.delete(ear) }
    },
    async [Symbol.asyncDispose]() {
      isClosing = true
      clearTimeout(timer)
      await latest?.end().catch(() => {})
    },
  }
}

const listenTo = (channel: string) => `listen ${pg.escapeIdentifier(channel)}`
