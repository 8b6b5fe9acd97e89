import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { superuser } from './cluster.ts'
import { loopback } from './port.ts'

const anchorName = 'freshet:anchor'
const leavingName = 'freshet:leaving'

/** Advisory lock in the database `postgres`, where only anchors are: held by the one that decides whether to stop. */
export const departureLock = [4611, 0]

const connectMs = 5_000
const lockMs = 10_000
const retryMs = 250
const longestRetryMs = 30_000

/**
 * A process's hold on the server: one open connection. It ends with the process, however that ends, so whoever leaves
 * can count who is still there.
 */
export type Anchor = {
  /** Lets go, and runs `stop` first when no other process holds the server. */
  leave(stop: () => Promise<void>): Promise<void>
}

type Hold = { client: Client; socket: Socket }

/**
 * Holds the server; `prepare` runs on the first connection. Fails while the server starts or stops: try again then.
 * `revive` is called when the server is gone: it brings back one that crashed.
 */
export async function holdAnchor(
  port: number,
  password: string,
  prepare: (client: Client) => Promise<void>,
  revive: () => Promise<void> = async () => {},
): Promise<Anchor> {
  const left = new AbortController()
  let reconnecting: Promise<void> | undefined
  let hold: Hold | undefined = await connect(port, password, prepare)
  watch(hold)

  /** A lost connection (a backend crash ends them all) is made again, or another process would stop the server under us. */
  function watch({ client, socket }: Hold): void {
    socket.unref()
    client.once('end', () => {
      hold = undefined
      if (!left.signal.aborted) reconnecting = reconnect()
    })
  }

  async function reconnect(): Promise<void> {
    let waitMs = retryMs
    while (!left.signal.aborted) {
      hold = await connect(port, password).catch(() => undefined)
      if (hold) return watch(hold)
      // What keeps it from starting, a full disk perhaps, is in its log; it may pass.
      waitMs = await revive().then(
        () => retryMs,
        () => Math.min(waitMs * 2, longestRetryMs),
      )
      await sleep(waitMs, undefined, { ref: false, signal: left.signal }).catch(() => {})
    }
  }

  return {
    async leave(stop) {
      left.abort()
      await reconnecting
      const last = hold ?? (await connect(port, password).catch(() => undefined))
      if (!last) return
      last.socket.ref()
      try {
        // A connection that ends here means that somebody else stops the server; in any other doubt it stays up.
        if (await isLast(last.client).catch(() => false)) await stop()
      } finally {
        await last.client.end().catch(() => {})
      }
    },
  }
}

async function connect(port: number, password: string, prepare?: (client: Client) => Promise<void>): Promise<Hold> {
  const socket = new Socket()
  const client = new Client({
    host: loopback,
    port,
    user: superuser,
    password,
    database: 'postgres',
    application_name: anchorName,
    options: '-c idle_session_timeout=0',
    ssl: false,
    keepAlive: true,
    connectionTimeoutMillis: connectMs,
    lock_timeout: lockMs,
    stream: () => socket,
  })
  // Without a listener the loss of the connection would end the process; `end` follows and is where it is dealt with.
  client.on('error', () => {})
  try {
    await client.connect()
    // Whoever is deciding to stop either sees this connection, or keeps the lock until the server is down.
    await client.query('select pg_advisory_lock_shared($1, $2)', departureLock)
    await client.query('select pg_advisory_unlock_shared($1, $2)', departureLock)
    await prepare?.(client)
    return { client, socket }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

async function isLast(client: Client): Promise<boolean> {
  await client.query('select pg_advisory_lock($1, $2)', departureLock)
  // A backend gives up its locks before it drops out of pg_stat_activity: the next one to leave must not count this one.
  await client.query(`set application_name = '${leavingName}'`)
  const others = await client.query('select from pg_stat_activity where application_name = $1 limit 1', [anchorName])
  return others.rowCount === 0
}
