import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { holdAnchor } from './anchor.ts'
import { findPackage, prepareBinaries } from './binaries.ts'
import { ensureCluster, superuser } from './cluster.ts'
import { startServer, stopServer, type Asked, type Controls } from './control.ts'
import { codeOf, EmbeddedPostgresError, explainFiles, ignore } from './error.ts'
import { findOwner } from './owner.ts'
import { findPlace, sharedFolder } from './place.ts'
import { loopback } from './port.ts'
import { findPostmaster, wasShutDown, type Postmaster } from './postmaster.ts'

export { EmbeddedPostgresError }

/** A Postgres of our own on loopback. Disposing lets go of it; the last process to do so stops it. */
export type EmbeddedServer = AsyncDisposable & {
  /** Connection string of a database on the server; the password is in it. */
  url(database: string): string
  readonly host: string
  readonly port: number
  /** Where PGDATA really is: for root it may be outside the data directory. */
  readonly dataDir: string
  /** Version of the server, e.g. `18.4`. */
  readonly version: string
  /** True when the server was already running. */
  readonly attached: boolean
  readonly binDir: string
}

/** `settings` are server settings; they count for the process that starts the server, not for one that attaches. */
export type EmbeddedOptions = Asked & { settings?: Record<string, string>; timeoutMs?: number }

/** There as soon as the server is. */
const firstDatabase = 'freshet'
const pollMs = 50
const reviveMs = 60_000

/** Starts the Postgres of a data directory, or attaches to the one that already runs there. */
export async function openEmbedded(dir: string, options: EmbeddedOptions = {}): Promise<EmbeddedServer> {
  try {
    const { settings = {}, timeoutMs = 60_000, signal, tell } = options
    const server = await startOrAttach(await prepare(resolve(dir), settings, { signal, tell }), settings, timeoutMs)
    if (signal?.aborted) await server[Symbol.asyncDispose]()
    signal?.throwIfAborted()
    return server
  } catch (error) {
    throw explainFiles(error, resolve(dir))
  }
}

async function prepare(dir: string, settings: Record<string, string>, { signal, tell }: Asked): Promise<Controls> {
  const owner = await findOwner()
  const binaries = await prepareBinaries(findPackage(), owner, join(owner ? sharedFolder : dir, 'binaries'))
  signal?.throwIfAborted()
  const place = await findPlace(dir, owner)
  for (const path of [binaries.binDir, place.data]) refuseShellCharacters(path)
  // Whoever wants a server that does not wait for the disk does not want to wait for it here either.
  const flags = settings.fsync === 'off' ? ['--no-sync'] : []
  const making = { place, binaries, owner, signal, tell }
  return { ...making, password: await ensureCluster(making, flags) }
}

/** initdb and pg_ctl hand their paths to a shell, in double quotes. */
function refuseShellCharacters(path: string): void {
  if (!/["$`\\\n]/.test(path)) return
  const message = `Postgres cannot work in ${path}: its tools stumble over any of " $ \` \\ in a path.`
  throw new EmbeddedPostgresError('PATH_UNUSABLE', message, 'Use a path without them (FRESHET_DATA_DIR)')
}

/** Postgres's own lock file decides who starts it: whoever finds a server there, or loses the race, attaches. */
async function startOrAttach(controls: Controls, settings: Record<string, string>, timeoutMs: number) {
  const deadline = performance.now() + timeoutMs
  let startedPid: number | undefined
  let trouble: unknown
  for (let leftMs = timeoutMs; leftMs > 0; leftMs = deadline - performance.now()) {
    // What we started ourselves is taken hold of all the same: by then letting go of it stops it.
    if (startedPid === undefined) controls.signal?.throwIfAborted()
    const running = await findPostmaster(controls.place.data)
    if (running?.status === 'ready') {
      try {
        return await attach(controls, running, running.pid !== startedPid, settings)
      } catch (error) {
        trouble = error
        if (!isPassing(error)) break
      }
    } else if (running === undefined && (await startServer(controls, settings, leftMs))) {
      startedPid = (await findPostmaster(controls.place.data))?.pid
      continue
    }
    await sleep(pollMs)
  }
  throw unreachable(controls, trouble, timeoutMs)
}

async function attach(
  controls: Controls,
  running: Postmaster,
  attached: boolean,
  settings: Record<string, string>,
): Promise<EmbeddedServer> {
  const { place, binaries, password } = controls
  let version = ''
  const prepare = async (client: Client) => {
    // A server that was told to stop writes so before it ends its first connection, hence before a departing process
    // lets go of its lock: whoever got this far and reads `ready` was seen.
    const now = await findPostmaster(place.data)
    if (now?.pid !== running.pid || now.status !== 'ready') throw new Error('The server is stopping.')
    version = await readVersion(client)
    await ensureDatabase(client)
  }
  const anchor = await holdAnchor(running.port, password, prepare, () => revive(controls, settings))
  let leaving: Promise<void> | undefined
  return {
    url: (database) =>
      `postgres://${superuser}:${password}@${loopback}:${running.port}/${encodeURIComponent(database)}?sslmode=disable`,
    host: loopback,
    port: running.port,
    dataDir: place.data,
    version,
    attached,
    binDir: binaries.binDir,
    [Symbol.asyncDispose]: () => (leaving ??= anchor.leave(() => stopServer(controls))),
  }
}

/**
 * Starts a server again that crashed, on the port that it had. One that was shut down in order stays down: whoever did
 * that under us, with pg_ctl perhaps, meant it.
 */
async function revive(controls: Controls, settings: Record<string, string>): Promise<void> {
  const { data } = controls.place
  if ((await findPostmaster(data)) !== undefined || (await wasShutDown(data))) return
  // Nobody stops this start: whoever was to stop has let go of the server first.
  await startServer({ ...controls, signal: undefined }, settings, reviveMs)
}

async function readVersion(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`)
  return rows[0]?.version.split(' ')[0] ?? ''
}

async function ensureDatabase(client: Client): Promise<void> {
  const found = await client.query('select from pg_database where datname = $1', [firstDatabase])
  // Another process may be making it at the same moment.
  if (found.rowCount === 0) await client.query(`create database ${firstDatabase}`).catch(ignore('42P04', '23505'))
}

/** True when trying again may help: the server is starting or stopping, full, or ended the connection. */
function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || code.startsWith('E') || ['57P01', '57P02', '57P03', '53300', '55P03'].includes(code)
}

function unreachable({ place }: Controls, trouble: unknown, timeoutMs: number): EmbeddedPostgresError {
  const reason = trouble instanceof Error ? `: ${trouble.message}` : ''
  if (codeOf(trouble)?.startsWith('28')) {
    const message = `The Postgres in ${place.data} refuses the password in ${place.password}${reason}`
    return new EmbeddedPostgresError('PASSWORD_REFUSED', message, 'Put the right password back into that file', trouble)
  }
  if (trouble !== undefined && !isPassing(trouble)) {
    const message = `The Postgres in ${place.data} runs but cannot be used${reason}`
    return new EmbeddedPostgresError('SERVER_UNUSABLE', message, `Look into ${place.log}`, trouble)
  }
  const message = `The Postgres in ${place.data} was not ready within ${timeoutMs / 1000} s${reason}`
  const hint = `Look into ${place.log}, start again (it may have been recovering), remove postmaster.pid if no server runs there`
  return new EmbeddedPostgresError('START_TIMEOUT', message, hint, trouble)
}
