import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { feedEnvironment } from './feed-base.ts'

type Orders = { databaseUrl: string; dir: string; chunkSize?: number; env?: Record<string, string> }

/** A worker of feeds as a process of its own, which does nothing until it has its orders. */
export function startFeedWorker() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'feed-worker-child.ts')], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => (out = (out + String(chunk)).slice(-200_000)))
  child.stdin.on('error', () => {}) // it was killed while it was given its orders
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code as number | null, signal: String(signal) }))
  return {
    ended,
    pid: child.pid!,
    log: () => out,
    begin({ databaseUrl, dir, chunkSize, env = {} }: Orders) {
      const own = { DATABASE_URL: databaseUrl, FRESHET_ROLE: 'worker', PORT: '0', FRESHET_PG_CRON: 'false' }
      child.stdin.write(`${JSON.stringify({ env: { ...own, ...feedEnvironment(dir), ...env }, chunkSize })}\n`)
    },
    kill: () => child.kill('SIGKILL'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}

export type FeedWorker = ReturnType<typeof startFeedWorker>
