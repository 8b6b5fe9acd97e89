import type { ServerResponse } from 'node:http'
import { getOperationAST, Kind, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../config.ts'
import { withDeadline, type Deadline } from '../db/deadline.ts'
import type { Attempts } from '../domain/access/attempts.ts'
import type { Authenticated } from '../domain/access/authenticate.ts'
import type { Context } from '../schema/builder.ts'
import { within } from '../within.ts'
import { admit } from './authentication.ts'
import { refuseForeignStream } from './csrf.ts'
import { codedError, type ShowError } from './errors.ts'
import { refuseLargeOperation, refuseUnstorable } from './limits.ts'
import type { Metrics } from './metrics.ts'
import type { Revocations } from './revocations.ts'
import { createSharedSubscribe } from './shared-results.ts'
import type { Streams } from './streams.ts'
import { readVariables } from './variables.ts'

/** What the HTTP server knows of a request and tells GraphQL. */
export type Visitor = {
  authorization: string | undefined
  address: string
  requestId: string
  response: ServerResponse
}

type Gate = {
  limits: Config['http']
  attempts: Attempts
  streams: Streams
  revocations: Revocations
  metrics: Metrics
  show: ShowError
}
type GateContext = Context & { visitor: Visitor; request: Request }

/**
 * What stands between a valid document and its resolvers, in this order: limits (no SQL), then the key, all within the
 * time limit. Subscriptions pass the same gate and stay under watch until they end.
 */
export function createGate({ limits, attempts, streams, revocations, metrics, show }: Gate): Plugin<GateContext> {
  const subscribe = createSharedSubscribe()
  const enter = async (args: ExecutionArgs): Promise<Authenticated> => {
    const context = args.contextValue as GateContext
    checkOperation(args, context.request, limits)
    const admitted = await admit({ pool: context.pool, attempts, now: context.now }, context.visitor)
    context.actor = admitted.actor
    return admitted
  }
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const finished = metrics.startOperation(args)
      setExecuteFn(async (given: ExecutionArgs): Promise<ExecutionResult> => {
        const { visitor } = given.contextValue as GateContext
        const result = await withinTime(limits.requestSeconds, visitor.requestId, async (signal) => {
          await enter(given)
          const limited: ExecutionArgs & { signal: AbortSignal } = { ...given, signal }
          return executeFn(limited) as Promise<ExecutionResult>
        }).catch((error: unknown) => ({ errors: [show(error)] }))
        finished(result)
        return result
      })
    },
    onSubscribe({ args, setSubscribeFn }) {
      const { visitor } = args.contextValue as GateContext
      setSubscribeFn(async (given: ExecutionArgs) => {
        try {
          const { actor, expiresAt } = await enter(given)
          const result = await subscribe(given)
          if (!(Symbol.asyncIterator in result)) return result
          const hangUp = () => void visitor.response.destroy()
          const watched = streams.watch(result, { keyId: actor.keyId, expiresAt, hangUp })
          // However the answer ends, and also when it never began, nothing of the subscription stays behind.
          if (visitor.response.closed) watched.close()
          else visitor.response.once('close', watched.close)
          if (actor.keyId !== null) revocations.check(actor.keyId)
          return watched
        } catch (error) {
          return { errors: [show(error)] }
        }
      })
    },
  }
}

/** Throws unless the operation that will run is one that may. */
function checkOperation(args: ExecutionArgs, request: Request, limits: Config['http']): void {
  const { schema, document, operationName, variableValues } = args
  const operation = getOperationAST(document, operationName)
  if (!operation) throw codedError('BAD_REQUEST', 'The document has no such operation.')
  refuseForeignStream(request, operation.operation)
  refuseUnstorable(document, variableValues)
  const variables = readVariables(schema, operation, { ...variableValues }, { hideSuggestions: !limits.introspection })
  refuseLargeOperation({ schema, operation, fragments: fragmentsOf(document), variables }, limits)
}

function fragmentsOf(document: DocumentNode) {
  return new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  )
}

/** Gives up when the time is over; `signal` then stops what has not begun yet, and what has is not committed any more. */
async function withinTime<Result>(
  seconds: number,
  requestId: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const ms = seconds * 1000
  const deadline: Deadline = { signal: over.signal, endsAt: performance.now() + ms, reachedCommit: false }
  const working = withDeadline(deadline, () => work(over.signal))
  return within(ms, working, () => {
    over.abort()
    throw timeout(seconds, requestId, deadline)
  })
}

/** A commit that is under way cannot be called back: then the caller is told that he has to look. */
function timeout(seconds: number, requestId: string, { reachedCommit }: Deadline) {
  const message = `The request took longer than ${seconds} s.`
  if (!reachedCommit) return codedError('REQUEST_TIMEOUT', message)
  const hint = `Look before you send it again: auditLog(filter: { requestId: "${requestId}" }) lists what was stored.`
  return codedError('REQUEST_TIMEOUT', `${message} It may have stored what it was to change.`, { hint })
}
