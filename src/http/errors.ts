import { GraphQLError, Kind } from 'graphql'
import { isCancelled, isOutage } from '../db/failure.ts'
import { DomainError, type Problem } from '../domain/errors.ts'
import { errorCodes, type ErrorCode } from '../domain/error-codes.ts'
import { currentRequestId, scrub, type Log } from '../log.ts'

type Http = { status?: number; headers?: Record<string, string>; spec?: boolean }
type Details = {
  field?: string | undefined
  hint?: string | undefined
  problems?: Problem[] | undefined
  requestId?: string | undefined
  http?: Http | undefined
}

const longestMessage = 1000

/** A GraphQL error with its code; the whole request takes the code's HTTP status, where it has one. */
export function codedError(
  code: ErrorCode,
  message: string,
  { headers, field, hint }: { field?: string; hint?: string | undefined; headers?: Record<string, string> } = {},
): GraphQLError {
  const { status } = meaning(code)
  return new GraphQLError(message, {
    extensions: extensions(code, { field, hint, http: status ? { status, headers } : undefined }),
  })
}

export type ShowError = (error: unknown) => GraphQLError

/**
 * Decides what a client sees of an error; every error leaves through here. What the caller can act on passes, with its
 * code. Anything else is a fault of ours: it is logged once, with the request id, and the client sees that id and no more.
 */
export function createErrorDoor(log: Log): ShowError {
  const shown = new WeakSet<GraphQLError>()
  const logged = new WeakMap<Error, string>()

  const fault = (cause: unknown, error: unknown): GraphQLError => {
    const [code, message] = isCancelled(cause)
      ? (['REQUEST_TIMEOUT', 'The request took too long and was given up.'] as const)
      : isOutage(cause)
        ? (['SERVICE_UNAVAILABLE', 'The database cannot be reached, or is too busy.'] as const)
        : (['INTERNAL_SERVER_ERROR', 'Something went wrong on our side.'] as const)
    const { path, nodes } = error instanceof GraphQLError ? error : {}
    const requestId = currentRequestId() ?? ''
    // One failure may reach many fields, as when a batch of lookups fails.
    if (!(cause instanceof Error && logged.get(cause) === requestId))
      log.error({ err: cause, field: path?.join('.'), code }, 'a request failed')
    if (cause instanceof Error) logged.set(cause, requestId)
    // Inside an answer one field has failed; without a path, the request as a whole.
    const http = path ? undefined : { status: meaning(code).status }
    return new GraphQLError(message, {
      path,
      nodes,
      extensions: extensions(code, { http, requestId }),
    })
  }

  return (error) => {
    if (error instanceof GraphQLError && shown.has(error)) return error
    const cause = rootCause(error)
    const result =
      cause instanceof DomainError
        ? fromDomain(cause, error)
        : error instanceof GraphQLError && isForCaller(error, cause)
          ? fromGraphql(error)
          : fault(cause, error)
    shown.add(result)
    return result
  }
}

/** The error that was thrown, below the wrappings of GraphQL. */
function rootCause(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error
}

/**
 * Whether an error of GraphQL's own kind is about what the caller sent. Before execution all are. Inside a field only
 * those about its arguments are, and those that carry a code; the others say that a resolver returned something wrong.
 */
function isForCaller({ path, extensions: { code } }: GraphQLError, cause: unknown): boolean {
  if (!(cause instanceof GraphQLError)) return false
  if (!path || isKnown(code)) return true
  const place = cause.nodes?.[0]?.kind
  return place !== undefined && place !== Kind.FIELD && place !== Kind.OPERATION_DEFINITION
}

function fromDomain({ code, message, field, hint, problems }: DomainError, wrapped: unknown): GraphQLError {
  const { path, nodes } = wrapped instanceof GraphQLError ? wrapped : {}
  const http = path ? undefined : { status: meaning(code).status ?? 400 }
  return new GraphQLError(scrub(message), {
    path,
    nodes,
    extensions: extensions(code, { field, hint, problems: problems.length > 0 ? problems : undefined, http }),
  })
}

function fromGraphql({ message, nodes, source, positions, path, extensions: given }: GraphQLError): GraphQLError {
  const { field, hint, problems, http } = given as Details
  const code = isKnown(given.code)
    ? given.code
    : given.code === 'OPERATION_RESOLUTION_FAILURE'
      ? 'BAD_REQUEST'
      : 'BAD_USER_INPUT'
  // GraphQL repeats names as long as the caller made them, in up to a hundred messages.
  const text = message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message
  return new GraphQLError(scrub(text), {
    nodes,
    source,
    positions,
    path,
    extensions: extensions(code, { field, hint, problems, http }),
  })
}

function extensions(code: ErrorCode, { hint = meaning(code).hint, field, problems, ...details }: Details) {
  const all = {
    code,
    hint,
    field: field && scrub(field),
    ...details,
    // Line and column stay inside: here the field names them.
    problems: problems?.map(({ field: place, message, hint: advice }) => ({
      field: scrub(place),
      message: scrub(message),
      hint: advice,
    })),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const meaning = (code: ErrorCode): { hint: string; status?: number } => errorCodes[code]
const isKnown = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorCodes, code)
