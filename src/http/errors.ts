import { GraphQLError } from 'graphql'
import { DomainError } from '../domain/errors.ts'
import { errorCodes, type ErrorCode } from '../domain/error-codes.ts'
import { currentRequestId, type Log } from '../log.ts'

type Extensions = Record<string, unknown> & {
  code: ErrorCode
  http?: { status?: number; headers?: Record<string, string> }
}

/** A GraphQL error with its code; the whole request takes the code's HTTP status, where it has one. */
export function codedError(
  code: ErrorCode,
  message: string,
  { headers, ...more }: { field?: string; headers?: Record<string, string> } = {},
): GraphQLError {
  const known: { hint: string; status?: number } = errorCodes[code]
  const http = known.status ? { http: { status: known.status, ...(headers ? { headers } : {}) } } : {}
  return new GraphQLError(message, { extensions: { code, hint: known.hint, ...more, ...http } satisfies Extensions })
}

/**
 * Decides what a client sees of an error. What the caller can act on passes, with its code. Anything else is a fault of
 * ours: it is logged once, with the request id, and the client sees that id and no more.
 */
export function maskErrors(log: Log, count: (code: ErrorCode) => void) {
  const shown = (error: unknown): GraphQLError => {
    const cause = rootCause(error)
    if (cause instanceof DomainError) return fromDomain(cause, error)
    if (error instanceof GraphQLError && (cause === undefined || cause instanceof GraphQLError)) return withCode(error)
    const code = isOutage(cause ?? error) ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR'
    log.error(
      { err: cause ?? error, path: error instanceof GraphQLError ? error.path?.join('.') : undefined, code },
      'a request failed',
    )
    const message =
      code === 'SERVICE_UNAVAILABLE'
        ? 'The database cannot be reached at the moment.'
        : 'Something went wrong on our side.'
    const masked = codedError(code, message)
    return new GraphQLError(masked.message, {
      ...place(error),
      extensions: { ...masked.extensions, http: undefined, requestId: currentRequestId() },
    })
  }
  return (error: unknown): GraphQLError => {
    const result = shown(error)
    count(result.extensions.code as ErrorCode)
    return result
  }
}

/** The error that a resolver threw, below the wrappings of GraphQL; nothing if the error is GraphQL's own. */
function rootCause(error: unknown): unknown {
  if (!(error instanceof GraphQLError)) return error
  return error.originalError instanceof GraphQLError
    ? (rootCause(error.originalError) ?? error.originalError)
    : error.originalError
}

function fromDomain({ code, message, field, hint, problems }: DomainError, wrapped: unknown): GraphQLError {
  const details = Object.fromEntries(
    Object.entries({ field, hint, problems }).filter(([, value]) => value !== undefined),
  )
  return new GraphQLError(message, { ...place(wrapped), extensions: { code, ...details } satisfies Extensions })
}

function withCode(error: GraphQLError): GraphQLError {
  error.extensions.code ??= 'BAD_USER_INPUT'
  // A variable of the wrong form: GraphQL names the place only in its message.
  const [, field] = /got invalid value .* at "([^"]+)"/s.exec(error.message) ?? []
  if (field) error.extensions.field ??= field
  return error
}

function place(error: unknown) {
  return error instanceof GraphQLError ? { nodes: error.nodes, path: error.path } : {}
}

const outageStates = /^(08|53|57P0)/
const outageSystemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
])

/** Whether the database was away or full: the caller may try again. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    outageStates.test(code) ||
    outageSystemErrors.has(code) ||
    /timeout exceeded when trying to connect|Connection terminated|can't reach database/i.test(error.message) ||
    isOutage(error.cause)
  )
}
