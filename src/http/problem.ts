import { STATUS_CODES, type ServerResponse } from 'node:http'
import { currentRequestId } from '../log.ts'

/** An error outside GraphQL, as RFC 9457 has it: machines read `status` and `code`, people `detail`. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  detail: string,
  more: Record<string, unknown> = {},
): void {
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    requestId: currentRequestId(),
    ...more,
  }
  response
    .writeHead(status, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body))
}
