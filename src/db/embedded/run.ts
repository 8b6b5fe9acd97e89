import { spawn } from 'node:child_process'
import { codeOf } from './error.ts'

/** The user that programs run as; undefined: the one we are. */
export type Owner = { uid: number; gid: number } | undefined

/** How a program ended, with both of its outputs as they came. */
export type Finished = { code: number | null; output: string }

/**
 * Runs a program to its end, as the owner. In a session of its own, so that a Ctrl-C meant for us cuts no start or stop
 * short; with an environment of its own, so that no secret of ours and no PGDATA of the user's reaches Postgres. `signal` ends it,
 * and what it started in its turn.
 */
export function run(file: string, args: string[], owner?: Owner, signal?: AbortSignal): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...owner,
      cwd: '/',
      detached: true,
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const end = () => {
      const isAtWork = child.exitCode === null && child.signalCode === null
      if (isAtWork && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    }
    signal?.addEventListener('abort', end, { once: true })
    child.on('error', reject)
    child.on('close', (code) => {
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve({ code, output: output.trim() })
    })
  })
}

/** True when a process of this id exists, whoever owns it. */
export function isRunning(pid: number): boolean {
  // To the system 0 and below mean whole process groups, ours first.
  if (!(pid > 0)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
