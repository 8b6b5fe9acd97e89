import type { ServerResponse } from 'node:http'
import { sendProblem } from './problem.ts'

/** One thing that must hold before requests can be answered. `problem` says what is wrong and what to do. */
export type Check = { name: string; run: () => Promise<string | undefined> }

const checkMs = 2_000

/** The process is alive; nothing else is asked, so that a slow database does not get a healthy process killed. */
export function answerHealthz(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end('{"status":"ok"}')
}

/** Whether requests can be answered now. Every check runs; 503 names the parts that fail. */
export async function answerReadyz(response: ServerResponse, checks: Check[]): Promise<void> {
  const results = await Promise.all(checks.map(async ({ name, run }) => [name, await withinTime(run())] as const))
  const parts = Object.fromEntries(results.map(([name, problem]) => [name, problem ?? 'ok']))
  const failing = results.filter(([, problem]) => problem !== undefined).map(([name]) => name)
  if (failing.length > 0) {
    sendProblem(response, 503, `Not ready: ${failing.join(', ')}.`, { checks: parts })
    return
  }
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify({ status: 'ready', checks: parts }))
}

async function withinTime(check: Promise<string | undefined>): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(() => resolve(`no answer within ${checkMs / 1000} s`), checkMs)
  try {
    return await Promise.race([check, late])
  } catch (error) {
    return error instanceof Error ? error.message || error.name : 'failed'
  } finally {
    clearTimeout(timer)
  }
}
