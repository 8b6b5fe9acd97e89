import { GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { Config } from '../config.ts'
import type { Context } from '../schema/builder.ts'
import { admit } from './authentication.ts'
import { codedError } from './errors.ts'
import { refuseOperation } from './limits.ts'
import type { Metrics } from './metrics.ts'
import type { Streams } from './streams.ts'
import type { Attempts } from '../domain/access/attempts.ts'

/** What the HTTP server knows of a request and tells GraphQL. */
export type Visitor = { authorization: string | undefined; address: string; requestId: string }

type Gate = { limits: Config['http']; attempts: Attempts; streams: Streams; metrics: Metrics }
type Admitted = { refused: ExecutionResult } | { refused?: undefined; expiresAt: Date | null }

/**
 * What stands between a valid document and its resolvers, in this order: limits (no SQL), then the key, then the time
 * limit. Subscriptions pass the same gate and stay under watch until they end.
 */
export function createGate({ limits, attempts, streams, metrics }: Gate): Plugin<Context & { visitor: Visitor }> {
  const enter = async (args: ExecutionArgs): Promise<Admitted> => {
    const tooMuch = refuseOperation(args, limits)
    if (tooMuch) return { refused: { errors: [tooMuch] } }
    const context = args.contextValue as Context & { visitor: Visitor }
    const admitted = await admit({ pool: context.pool, attempts, now: context.now }, context.visitor)
    if (admitted instanceof GraphQLError) return { refused: { errors: [admitted] } }
    context.actor = admitted.actor
    return { expiresAt: admitted.expiresAt }
  }
  return {
    async onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const finished = metrics.startOperation(args)
      const entry = await enter(args)
      if (entry.refused) {
        finished(entry.refused)
        setResultAndStopExecution(entry.refused)
        return undefined
      }
      setExecuteFn((given: ExecutionArgs) =>
        withinTime(Promise.resolve(executeFn(given) as ExecutionResult), limits.requestSeconds),
      )
      return { onExecuteDone: ({ result }) => finished(result as ExecutionResult) }
    },
    async onSubscribe({ args, setResultAndStopExecution }) {
      const entry = await enter(args)
      if (entry.refused) {
        setResultAndStopExecution(entry.refused)
        return undefined
      }
      const { actor } = args.contextValue as Context
      return {
        onSubscribeResult({ result, setResult }) {
          if (Symbol.asyncIterator in (result as object))
            setResult(streams.watch(result as AsyncIterable<ExecutionResult>, actor.keyId, entry.expiresAt))
        },
      }
    },
  }
}

async function withinTime(result: Promise<ExecutionResult>, seconds: number): Promise<ExecutionResult> {
  const { promise: late, resolve } = Promise.withResolvers<ExecutionResult>()
  const timer = setTimeout(
    () => resolve({ errors: [codedError('REQUEST_TIMEOUT', `The request took longer than ${seconds} s.`)] }),
    seconds * 1000,
  )
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}
