import type { IncomingMessage } from 'node:http'
import type { GraphQLError } from 'graphql'
import type { Pool } from '../db/pool.ts'
import type { Actor } from '../domain/access/actor.ts'
import type { Attempts } from '../domain/access/attempts.ts'
import { authenticate, type Authenticated } from '../domain/access/authenticate.ts'
import { codedError } from './errors.ts'

/** Someone who showed no key. */
export function anonymous(requestId: string): Actor {
  return { keyId: null, name: 'anonymous', scopes: new Set(), requestId }
}

type Door = { pool: Pool; attempts: Attempts; now: () => Date }
type Visit = { authorization: string | undefined; address: string; requestId: string }

/** Who a request comes from. No Authorization header is no mistake; a wrong one is, whatever was asked. */
export async function admit(
  { pool, attempts, now }: Door,
  { authorization, address, requestId }: Visit,
): Promise<Authenticated | GraphQLError> {
  if (authorization === undefined) return { actor: anonymous(requestId), expiresAt: null }
  const [, key = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  const waitSeconds = attempts.waitSeconds(address, key)
  if (waitSeconds > 0) {
    return codedError('TOO_MANY_ATTEMPTS', `Too many wrong keys came from here. Try again in ${waitSeconds} s.`, {
      headers: { 'retry-after': String(waitSeconds) },
    })
  }
  const found = await authenticate(pool, key, requestId, now())
  if (found) attempts.succeeded(key)
  else attempts.failed(address, key)
  return (
    found ??
    codedError('INVALID_KEY', 'The key is unknown, revoked or expired.', { headers: { 'www-authenticate': 'Bearer' } })
  )
}

/** The caller's address: the peer, or what the given number of trusted proxies say it is. */
export function callerAddress(request: IncomingMessage, proxyHops: number): string {
  const peer = request.socket.remoteAddress ?? 'unknown'
  if (proxyHops === 0) return peer
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  return forwarded.at(-proxyHops) ?? peer
}
