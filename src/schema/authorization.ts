import type { AuthFailure } from '@pothos/plugin-scope-auth'
import type { Actor } from '../domain/access/actor.ts'
import type { GraphQLSchema } from 'graphql'
import { DomainError } from '../domain/errors.ts'

const scopes = ['read', 'operate', 'admin'] as const

export type Scopes = Record<(typeof scopes)[number], boolean>

/** What it takes to see objects of a type, as its definition says. */
export function scopesOf(schema: GraphQLSchema, typename: string): Partial<Scopes> {
  const options = schema.getType(typename)?.extensions.pothosOptions as { authScopes?: Partial<Scopes> } | undefined
  return options?.authScopes ?? { admin: true }
}

/** Why a field is closed to a caller: he showed no key, or one with too few rights. */
export function refusal(actor: Actor, failure: AuthFailure): DomainError {
  const scope = neededScope(failure)
  const hasKey = actor.scopes.size > 0
  return hasKey
    ? new DomainError('FORBIDDEN', `This needs a key with the scope ${scope}.`)
    : new DomainError('UNAUTHENTICATED', `This needs a key with the scope ${scope}, and none was sent.`)
}

/** The highest scope that is missing: with it, the others come too. */
function neededScope(failure: AuthFailure): string {
  const missing = missingScopes(failure)
  return scopes.findLast((scope) => missing.includes(scope))?.toUpperCase() ?? 'ADMIN'
}

function missingScopes(failure: AuthFailure): string[] {
  if ('failures' in failure) return failure.failures.flatMap(missingScopes)
  return 'scope' in failure ? [failure.scope] : []
}
