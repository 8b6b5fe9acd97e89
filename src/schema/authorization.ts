import type { AuthFailure } from '@pothos/plugin-scope-auth'
import type { Actor } from '../domain/access/actor.ts'
import { DomainError } from '../domain/errors.ts'

/** Why a field is closed to a caller: he showed no key, or one with too few rights. */
export function refusal(actor: Actor, failure: AuthFailure): DomainError {
  const scope = neededScope(failure)
  const hasKey = actor.scopes.size > 0
  return hasKey
    ? new DomainError('FORBIDDEN', `This needs a key with the scope ${scope}.`)
    : new DomainError('UNAUTHENTICATED', `This needs a key with the scope ${scope}, and none was sent.`)
}

function neededScope(failure: AuthFailure): string {
  if ('failures' in failure) return failure.failures.map(neededScope)[0] ?? 'ADMIN'
  return 'scope' in failure ? failure.scope.toUpperCase() : 'ADMIN'
}
