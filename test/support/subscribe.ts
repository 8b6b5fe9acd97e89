import { createClient } from 'graphql-sse'
import type { AnswerError } from './app.ts'

type Message = { __typename: string } & Record<string, unknown>
export type Received = { data?: Record<string, Message> | null; errors?: AnswerError[] }

/** Subscribes as a client would, with one connection for each subscription. `messages` grows; `over` resolves when the server is done. */
export function subscribe(endpoint: string, key: string, query: string, variables: Record<string, unknown> = {}) {
  const client = createClient({ url: endpoint, retryAttempts: 0, headers: { authorization: `Bearer ${key}` } })
  const messages: Message[] = []
  const errors: AnswerError[] = []
  const { promise: over, resolve, reject } = Promise.withResolvers<void>()
  const leave = client.subscribe(
    { query, variables },
    {
      next(result) {
        const received = result as unknown as Received
        errors.push(...(received.errors ?? []))
        if (received.data) messages.push(...Object.values(received.data))
      },
      error: reject,
      complete: resolve,
    },
  )
  return { messages, errors, over, leave }
}

/** All that a subscriber of one run may want to see. */
export const runProgress = `subscription ($runId: ID!, $after: Int) { runProgress(runId: $runId, after: $after) {
  __typename
  ... on RunState { number run { id kind status stage counters } }
  ... on RunEvent { runId number kind stage counters code mergedCount }
  ... on KeepAlive { at }
} }`

/** All that a subscriber of all runs may want to see. */
export const runEvents = `subscription ($filter: RunEventFilter, $after: String) { runEvents(filter: $filter, after: $after) {
  __typename
  ... on StreamStart { cursor }
  ... on RunEvent { runId number kind cursor mergedCount }
  ... on KeepAlive { at }
} }`
