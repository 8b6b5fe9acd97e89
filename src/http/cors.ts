import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Lets pages of the listed origins read answers, and no others. Never with credentials: a key is sent by a script that
 * has it, not by a browser on its own. Answers true when the request was a question about this (a preflight) and is done.
 */
export function answerCors(request: IncomingMessage, response: ServerResponse, origins: string[]): boolean {
  if (origins.length === 0) return false
  response.setHeader('vary', 'origin')
  const { origin, 'access-control-request-method': asked } = request.headers
  if (origin === undefined || !origins.includes(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', 'x-request-id, retry-after')
  if (request.method !== 'OPTIONS' || asked === undefined) return false
  response
    .writeHead(204, {
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'authorization, content-type, x-request-id, x-freshet-csrf',
      'access-control-max-age': '600',
    })
    .end()
  return true
}
