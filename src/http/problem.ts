import { STATUS_CODES, type ServerResponse } from 'node:http'
import { currentRequestId } from '../log.ts'

export const problemType = 'application/problem+json'

/** An error outside GraphQL, as RFC 9457 has it: machines read `status`, people `detail`. */
export function problem(status: number, detail: string, more: Record<string, unknown> = {}): string {
  const title = STATUS_CODES[status] ?? 'Error'
  return JSON.stringify({ type: 'about:blank', title, status, detail, requestId: currentRequestId(), ...more })
}

/** Answers with such an error. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  detail: string,
  more: Record<string, unknown> = {},
): void {
  response
    .writeHead(status, { 'content-type': problemType, 'cache-control': 'no-store' })
    .end(problem(status, detail, more))
}
