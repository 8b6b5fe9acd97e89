import { readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unlessStopped } from '../../interrupt.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError, explainOutput, ignore } from './error.ts'
import { freePort, loopback, rememberedPort, rememberPort } from './port.ts'
import type { Place } from './place.ts'
import { findPostmaster, isPostmaster } from './postmaster.ts'
import { isRunning, run, type Finished, type Owner } from './run.ts'

/** Whether the server is still wanted, and who hears of what takes seconds before it begins. */
export type Asked = { signal?: AbortSignal | undefined; tell?: ((step: string) => void) | undefined }

/** What it takes to make the files of a server. */
export type Making = Asked & { place: Place; binaries: Binaries; owner: Owner }

/** All that is needed to start and stop one server. */
export type Controls = Making & { password: string }

const portAttempts = 5
const stopMs = 60_000
const readyMs = 3_000
const pollMs = 10
const shownLines = 20
const maxLogBytes = 10_000_000
const portTaken = /could not create any TCP\/IP sockets|could not bind/
const heldByOther = /lock file "postmaster.pid" (already exists|is empty)|pre-existing shared memory block/

/**
 * Starts the server with pg_ctl, which puts it in a session of its own: neither our end nor a Ctrl-C reaches it.
 * Returns false when another process was faster or the remains of a crashed server are still ending.
 */
export async function startServer(
  controls: Controls,
  settings: Record<string, string>,
  timeoutMs: number,
): Promise<boolean> {
  const { place, binaries, owner, password, tell } = controls
  await renameLongLog(place.log)
  for (let attempt = 1; ; attempt++) {
    const port = (attempt === 1 && (await rememberedPort(place.port))) || (await freePort())
    const before = await logSize(place.log)
    const args = ['start', '-D', place.data, '-l', place.log, '-w', '-t', String(Math.ceil(timeoutMs / 1000))]
    args.push('-o', serverOptions(settings, port))
    tell?.('starting Postgres')
    const { code, output } = await unlessUnwanted(controls, run(join(binaries.binDir, 'pg_ctl'), args, owner))
    if (code === 0) {
      // Not being able to remember it costs another port at the next start, no more.
      await rememberPort(place.port, port).catch(() => {})
      return true
    }
    const log = (await readFile(place.log).catch(ignore('ENOENT')))?.subarray(before).toString() ?? ''
    if (portTaken.test(log) && attempt < portAttempts) continue
    if (heldByOther.test(log) || (await findPostmaster(place.data))) return false
    const lines = (log.trim() || output).split('\n').slice(-shownLines).join('\n').replaceAll(password, '[password]')
    throw explainOutput('START_FAILED', `Postgres did not start. Its log, ${place.log}, ends with`, lines, place.base)
  }
}

/**
 * A server that is no longer wanted is soon ready, and then stopped like any other; one that takes longer, as it may be
 * recovering, is stopped as it is. As pg_ctl still waits for it, it is the one that we started.
 */
async function unlessUnwanted(controls: Controls, starting: Promise<Finished>): Promise<Finished> {
  const { signal } = controls
  if (!signal) return starting
  try {
    return await unlessStopped(signal, starting, readyMs)
  } catch (error) {
    if (signal.aborted) await stopServer(controls)
    throw error
  }
}

/**
 * Stops the server the fast way: its clients are cut off, what they committed is kept. Waits for the end of that very
 * process (`pg_ctl stop -w` would go on to wait for a server that another process has started in its place by then).
 */
export async function stopServer({ place }: Controls): Promise<void> {
  const running = await findPostmaster(place.data)
  if (running === undefined || !isRunning(running.pid)) return
  process.kill(running.pid, 'SIGINT')
  const deadline = performance.now() + stopMs
  while (await isPostmaster(running.pid, place.data)) {
    if (performance.now() > deadline) {
      const message = `Postgres in ${place.data} did not stop within ${stopMs / 1000} s (process ${running.pid}).`
      throw new EmbeddedPostgresError('STOP_FAILED', message, `Look into ${place.log}`)
    }
    await sleep(pollMs)
  }
}

/** The settings as a shell reads them, which is what pg_ctl hands them to. The last of two equal ones counts. */
function serverOptions(settings: Record<string, string>, port: number): string {
  const defaults = { max_connections: '100', timezone: 'UTC', log_timezone: 'UTC' }
  const fixed = { port: String(port), listen_addresses: loopback, unix_socket_directories: '' }
  return [defaults, settings, fixed]
    .flatMap((part) => Object.entries(part))
    .map(([name, value]) => `-c '${`${name}=${value}`.replaceAll("'", "'\\''")}'`)
    .join(' ')
}

async function logSize(log: string): Promise<number> {
  return (await stat(log).catch(ignore('ENOENT')))?.size ?? 0
}

async function renameLongLog(log: string): Promise<void> {
  if ((await logSize(log)) > maxLogBytes) await rename(log, `${log}.old`).catch(ignore('ENOENT'))
}
