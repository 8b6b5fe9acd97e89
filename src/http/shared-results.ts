import { createSourceEventStream, execute, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql'
import type { Context } from '../schema/builder.ts'

type Result = ExecutionResult & { stringify?: (result: ExecutionResult) => string }
type Results = AsyncIterableIterator<Result>

/**
 * Subscribes so that what many ask of one event is worked out once and written once: a thousand who watch the same run send the
 * same document. Only those with the same rights share, and only events that are one object for all of them.
 */
export function createSharedSubscribe() {
  const shared = new WeakMap<object, Map<string, Promise<Result> | Result>>()
  const numbers = new WeakMap<DocumentNode, number>()
  let count = 0
  const numberOf = (document: DocumentNode) => {
    const number = numbers.get(document) ?? ++count
    numbers.set(document, number)
    return number
  }
  /** What must be equal for two to get the same answer to the same event. */
  const keyOf = ({ document, operationName, variableValues, contextValue }: ExecutionArgs) => {
    const { actor } = contextValue as Context
    return JSON.stringify([numberOf(document), operationName, variableValues, [...actor.scopes].sort()])
  }
  const answer = (args: ExecutionArgs, key: string, event: unknown): Promise<Result> | Result => {
    const work = () => written(execute({ ...args, rootValue: event }))
    if (typeof event !== 'object' || event === null) return work()
    const known = shared.get(event) ?? new Map<string, Promise<Result> | Result>()
    shared.set(event, known)
    const result = known.get(key) ?? work()
    known.set(key, result)
    return result
  }

  return async (args: ExecutionArgs): Promise<Results | ExecutionResult> => {
    const source = await createSourceEventStream(args)
    if (!(Symbol.asyncIterator in source)) return source
    const events = source[Symbol.asyncIterator]()
    const key = keyOf(args)
    const results: Results = {
      async next() {
        const { done, value } = await events.next()
        return done ? { done, value: undefined } : { done: false, value: await answer(args, key, value) }
      },
      async return() {
        await events.return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => results,
    }
    return results
  }
}

/** Lets a result be turned into text once, however many it is sent to. One with errors is each reader's own. */
function written(result: Promise<ExecutionResult> | ExecutionResult): Promise<Result> | Result {
  if (result instanceof Promise) return result.then(written)
  if (result.errors) return result
  let text: string | undefined
  return { ...result, stringify: ({ data }) => (text ??= JSON.stringify({ data })) }
}
