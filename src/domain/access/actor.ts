import type { KeyScope } from '../../db/generated/client/client.ts'

export type Scope = KeyScope

/** Who does something: a key, or a person at the command line (no key). Every audit entry names one. */
export type Actor = { keyId: bigint | null; name: string; scopes: ReadonlySet<Scope>; requestId: string }

const implied: Record<Scope, Scope[]> = {
  READ: ['READ'],
  OPERATE: ['READ', 'OPERATE'],
  ADMIN: ['READ', 'OPERATE', 'ADMIN'],
}

/** ADMIN may all that OPERATE may, and OPERATE all that READ may. */
export function withImplied(scopes: readonly Scope[]): Set<Scope> {
  return new Set(scopes.flatMap((scope) => implied[scope]))
}
