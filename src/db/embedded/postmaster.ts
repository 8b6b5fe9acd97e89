import { randomUUID } from 'node:crypto'
import { link, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ignore } from './error.ts'
import { isRunning, run } from './run.ts'

/** What `postmaster.pid` says of a server: its process, its port and whether it is `starting`, `ready` or `stopping`. */
export type Postmaster = { pid: number; port: number; status: string }

const unwrittenMs = 5_000

/** The server that runs on a data directory. A lock file that only looks like one is removed. */
export async function findPostmaster(dataDir: string): Promise<Postmaster | undefined> {
  const file = lockFile(dataDir)
  const text = await readFile(file, 'utf8').catch(ignore('ENOENT'))
  if (text === undefined) return undefined
  const [pid, , , port, , , , status] = text.split('\n').map((line) => line.trim())
  // The id of a single-user Postgres is negative.
  const id = Math.abs(Number(pid))
  if (!(id > 0)) {
    // Being written at this moment, or all that a power cut left of it; Postgres starts on neither.
    const found = await stat(file).catch(ignore('ENOENT'))
    if (found && Date.now() - found.mtimeMs < unwrittenMs) return { pid: 0, port: 0, status: 'starting' }
    await removeStaleLock(dataDir, text)
    return undefined
  }
  if (await isPostmaster(id, dataDir)) return { pid: id, port: Number(port), status: status ?? 'starting' }
  // Postgres itself gets over the id of a dead process, but not over one that belongs to somebody else by now.
  if (isRunning(id)) await removeStaleLock(dataDir, text)
  return undefined
}

/** Whether the server that ran last on a data directory was shut down in order; otherwise it crashed or was killed. */
export async function wasShutDown(dataDir: string): Promise<boolean> {
  // Behind the system identifier and two versions stands the state of the cluster; DB_SHUTDOWNED in pg_control.h is 1.
  const control = await readFile(join(dataDir, 'global', 'pg_control'))
  return control.readInt32LE(16) === 1
}

/**
 * True when the process is the Postgres of the data directory. In doubt it is: to wait in vain for a stranger is better
 * than to take the lock of a living server away. (Without the right to trace, even root may not see another's folder.)
 */
export async function isPostmaster(
  pid: number,
  dataDir: string,
  platform: string = process.platform,
): Promise<boolean> {
  if (!isRunning(pid)) return false
  const [command, folder] = await (platform === 'linux' ? lookInProc(pid) : askPs(pid))
  if (command === undefined) return true
  if (!/(^|\/)postgres( -|$)/.test(command)) return false
  return folder === undefined || folder === dataDir
}

type Seen = [command: string | undefined, folder: string | undefined]

async function lookInProc(pid: number): Promise<Seen> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
  return [command?.replaceAll('\0', ' ').trim(), folder]
}

async function askPs(pid: number): Promise<Seen> {
  const answer = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => undefined)
  return [answer?.output, undefined]
}

/**
 * Removes a lock file of which it was judged, by its text, that nobody holds it. Between that and now another process
 * may have done so too and started: what turns out to be a new file goes back.
 */
export async function removeStaleLock(dataDir: string, judged: string): Promise<void> {
  const file = lockFile(dataDir)
  const aside = `${file}.${randomUUID()}.stale`
  const moved = await rename(file, aside).then(() => true, ignore('ENOENT'))
  if (!moved) return
  if ((await readFile(aside, 'utf8')) !== judged) await link(aside, file).catch(ignore('EEXIST'))
  await rm(aside)
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'postmaster.pid')
}
