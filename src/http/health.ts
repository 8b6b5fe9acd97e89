import type { ServerResponse } from 'node:http'
import { reason, type Log } from '../log.ts'
import { briefly } from '../db/failure.ts'
import { within } from '../within.ts'
import { sendProblem } from './problem.ts'

/**
 * One thing that must hold before requests can be answered. `run` says what is wrong and what to do, or throws. What an
 * advice says is shown too, but takes nobody out of service.
 */
export type Check = { name: string; run: () => Promise<string | undefined>; isAdvice?: boolean }
/** What each part says of itself; `failing` is empty when all is well. */
type Readiness = { parts: Record<string, string>; failing: string[] }

const checkMs = 2_000
const tooLate = () => `no answer within ${checkMs / 1000} s`

/** The process is alive; nothing else is asked, so that a slow database does not get a healthy process killed. */
export function answerHealthz(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end('{"status":"ok"}')
}

/** Whether requests can be answered now: 503 names the parts that fail. */
export function answerReadyz(response: ServerResponse, { parts, failing }: Readiness): void {
  if (failing.length > 0) {
    sendProblem(response, 503, `Not ready: ${failing.join(', ')}.`, { checks: parts })
    return
  }
  response
    .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify({ status: 'ready', checks: parts }))
}

/** Runs every check. Those who ask at the same time share the answer, so that asking often costs the database nothing. */
export function createReadiness(checks: Check[], log: Log): () => Promise<Readiness> {
  const look = async ({ name, run }: Check): Promise<[string, string]> => {
    try {
      return [name, (await within(checkMs, run(), tooLate)) ?? 'ok']
    } catch (error) {
      log.warn({ check: name, error: reason(error) }, 'not ready')
      return [name, briefly(error)]
    }
  }
  const lookAtAll = async (): Promise<Readiness> => {
    const results = await Promise.all(checks.map(look))
    const failing = results.flatMap(([name, state], index) => (state === 'ok' || checks[index]?.isAdvice ? [] : [name]))
    return { parts: Object.fromEntries(results), failing }
  }
  let running: Promise<Readiness> | undefined
  return () => (running ??= lookAtAll().finally(() => (running = undefined)))
}
