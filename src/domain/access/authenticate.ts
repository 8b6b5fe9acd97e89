import { timingSafeEqual } from 'node:crypto'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { withImplied, type Actor, type Scope } from './actor.ts'
import { digestKey } from './key.ts'

type KeyRow = {
  id: string
  name: string
  prefix: string
  hash: Buffer
  scopes: Scope[]
  expires_at: Date | null
  last_used_at: Date | null
}

const touchMs = 60_000

/** An actor and the moment his key ends, for connections that stay open. */
export type Authenticated = { actor: Actor; expiresAt: Date | null }

const findKeys = { name: 'find-keys', text: readQuery('find_keys') }
const touchKey = {
  name: 'touch-key',
  text: 'update freshet.api_keys set last_used_at = greatest(last_used_at, $2) where id = $1',
}

/** Who a key belongs to, or nothing if it is unknown, revoked or expired. Found by its prefix, then compared in constant time. */
export async function authenticate(
  pool: Pool,
  key: string,
  requestId: string,
  now: Date,
): Promise<Authenticated | undefined> {
  const digest = digestKey(key)
  if (!digest) return undefined
  const { rows } = await pool.query<KeyRow>({ ...findKeys, values: [digest.prefix, now] })
  const row = rows.find((candidate) => timingSafeEqual(candidate.hash, digest.hash))
  if (!row) return undefined
  // To the minute: not every request of a busy key needs to write.
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > touchMs)
    await pool.query({ ...touchKey, values: [row.id, now] })
  const actor = {
    keyId: BigInt(row.id),
    name: `${row.name} (${row.prefix}…)`,
    scopes: withImplied(row.scopes),
    requestId,
  }
  return { actor, expiresAt: row.expires_at }
}
