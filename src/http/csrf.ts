import type { OperationTypeNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { codedError } from './errors.ts'

/**
 * A page of another site can make a browser send forms and simple GETs here. None of those can carry a JSON content type
 * or a header of our own without asking first (a preflight, which CORS answers with no). So a POST must be JSON, and a
 * GET that streams must show such a header.
 */
export const refuseForeignForms: Plugin = {
  onRequestParse({ request }) {
    const type = request.headers.get('content-type') ?? ''
    if (request.method === 'POST' && !/^application\/json\s*(;|$)/i.test(type))
      throw codedError('UNSUPPORTED_MEDIA_TYPE', 'A POST must have the content type application/json.')
    if (/text\/event-stream/i.test(request.headers.get('accept') ?? '')) refuseUnmarked(request)
  },
}

/** A browser accepts anything, so a GET may turn out to stream only when its operation is known. */
export function refuseForeignStream(request: Request, operation: `${OperationTypeNode}`): void {
  if (operation === 'subscription') refuseUnmarked(request)
}

function refuseUnmarked({ method, headers }: Request): void {
  if (method !== 'GET' || headers.has('authorization') || headers.has('x-freshet-csrf')) return
  throw codedError('CSRF_REFUSED', 'A GET that streams needs an Authorization header or the header x-freshet-csrf.')
}
