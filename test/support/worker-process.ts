import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A worker as a process of its own, with the queues of worker-child.ts. */
export function startWorkerProcess(databaseUrl: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'worker-child.ts')], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      CREDENTIAL_ENCRYPTION_KEY_B64: Buffer.alloc(32, 7).toString('base64'),
      FRESHET_ROLE: 'worker',
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => (out += String(chunk)))
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: String(signal) }))
  return {
    ended,
    /** How often it has said something. */
    said: (text: string) => out.split(text).length - 1,
    /** Where it answers, once it does. */
    url: () => /http:\/\/127\.0\.0\.1:\d+/.exec(out)?.[0],
    kill: (signal: 'SIGTERM' | 'SIGKILL') => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}
