import type { ApiKey } from '../db/generated/client/client.ts'

/** A key as the command shows it: without its hash. */
export function describeKey({ hash: _hash, ...key }: ApiKey, now: Date) {
  return { ...key, status: keyStatus(key, now) }
}

function keyStatus({ revokedAt, expiresAt }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>, now: Date) {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= now ? 'expired' : 'active'
}
