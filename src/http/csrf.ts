import type { Plugin } from 'graphql-yoga'
import { codedError } from './errors.ts'

/**
 * A page of another site can make a browser send forms and simple GETs here, cookies or not. None of those can carry a
 * JSON content type or a header of our own without asking first (a preflight, which CORS answers with no). So a POST
 * must be JSON, and a GET that streams must show such a header.
 */
export const refuseForeignForms: Plugin = {
  onRequestParse({ request }) {
    const type = request.headers.get('content-type') ?? ''
    if (request.method === 'POST' && !/^application\/(json|graphql-response\+json)\s*(;|$)/i.test(type)) {
      throw codedError('UNSUPPORTED_MEDIA_TYPE', 'A POST must have the content type application/json.')
    }
    const streams = request.headers.get('accept')?.includes('text/event-stream')
    const marked = request.headers.has('authorization') || request.headers.has('x-freshet-csrf')
    if (request.method === 'GET' && streams && !marked) {
      throw codedError('CSRF_REFUSED', 'A GET that streams needs an Authorization header or the header x-freshet-csrf.')
    }
  },
}
