import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Pool } from '../db/pool.ts'
import type { Actor } from '../domain/access/actor.ts'
import type { Attempts } from '../domain/access/attempts.ts'
import { authenticate, type Authenticated } from '../domain/access/authenticate.ts'
import { digestKey } from '../domain/access/key.ts'
import { codedError } from './errors.ts'

/** Someone who showed no key. */
export function anonymous(requestId: string): Actor {
  return { keyId: null, name: 'anonymous', scopes: new Set(), requestId }
}

const notBearer = 'The Authorization header is not of the form "Bearer <key>".'

type Door = { pool: Pool; attempts: Attempts; now: () => Date }
type Visit = { authorization: string | undefined; address: string; requestId: string }

/** Who a request comes from. No Authorization header is no mistake; a wrong one is, whatever was asked: it throws. */
export async function admit(door: Door, { authorization, address, requestId }: Visit): Promise<Authenticated> {
  if (authorization === undefined) return { actor: anonymous(requestId), expiresAt: null }
  const [, key] = /^Bearer +(\S+)$/i.exec(authorization.trim()) ?? []
  if (key === undefined) throw codedError('INVALID_KEY', notBearer, { headers: { 'www-authenticate': 'Bearer' } })
  const { waitSeconds, found } = await checkKey(door, key, { address, requestId })
  if (waitSeconds > 0) {
    throw codedError('TOO_MANY_ATTEMPTS', `Too many wrong keys came from here. Try again in ${waitSeconds} s.`, {
      headers: { 'retry-after': String(waitSeconds) },
    })
  }
  if (found) return found
  throw codedError('INVALID_KEY', 'The key is unknown, revoked or expired.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/** Whom a key belongs to, if to anybody, or how many seconds to wait because too many wrong ones came from the address. */
export function checkKey(
  { pool, attempts, now }: Door,
  key: string,
  { address, requestId }: Omit<Visit, 'authorization'>,
): ReturnType<typeof attempts.attempt<Authenticated>> {
  const digest = digestKey(key)?.hash.toString('base64') ?? ''
  return attempts.attempt(address, digest, () => authenticate(pool, key, requestId, now()))
}

/**
 * Whom attempts are counted for: the peer's address, or what the given number of trusted proxies say it is. Of an IPv6
 * address the network counts: each host of it may choose among 2^64 addresses.
 */
export function callerAddress(request: IncomingMessage, proxyHops: number): string {
  const peer = request.socket.remoteAddress ?? 'unknown'
  if (proxyHops === 0) return network(peer)
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
  const client = withoutPort(forwarded.at(-proxyHops)?.trim() ?? '')
  return network(isIP(client) ? client : peer)
}

const withoutPort = (address: string) => address.replace(/^\[([^\]]*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')

function network(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%')
  if (isIP(plain) !== 6) return plain
  const [head = '', tail = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => text.split(':').filter(Boolean)
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  return `${[...groups(head), ...zeros, ...groups(tail)].slice(0, 4).join(':')}::/64`
}
