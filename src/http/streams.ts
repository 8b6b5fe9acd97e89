import type { ExecutionResult } from 'graphql'
import { codedError } from './errors.ts'
import type { ErrorCode } from '../domain/error-codes.ts'

type Stream = { keyId: bigint | null; end: (code: ErrorCode, message: string) => void }

const longestTimerMs = 2 ** 31 - 1

/** The subscriptions that are open now, so that each can be ended from outside: its key was revoked, or the server stops. */
export function createStreams(now: () => Date) {
  const open = new Set<Stream>()
  return {
    get size() {
      return open.size
    },
    keyIds: (): Set<bigint> => new Set([...open].flatMap(({ keyId }) => (keyId === null ? [] : [keyId]))),

    /** Passes a subscription's results on until it ends, its key expires, or it is ended; then a last error says why. */
    async *watch(
      results: AsyncIterable<ExecutionResult>,
      keyId: bigint | null,
      expiresAt: Date | null,
    ): AsyncGenerator<ExecutionResult> {
      const { promise: ended, resolve: end } = Promise.withResolvers<ExecutionResult>()
      const stream: Stream = { keyId, end: (code, message) => end({ errors: [codedError(code, message)] }) }
      const expire = () => stream.end('INVALID_KEY', 'The key has expired.')
      const lifeMs = expiresAt ? Math.min(expiresAt.getTime() - now().getTime(), longestTimerMs) : undefined
      const timer = lifeMs === undefined ? undefined : setTimeout(expire, lifeMs).unref()
      const source = results[Symbol.asyncIterator]()
      const last = ended.then((value) => ({ value, done: 'ended' as const }))
      open.add(stream)
      try {
        for (;;) {
          const next = await Promise.race([source.next(), last])
          if (next.done === true) return
          yield next.value
          if (next.done === 'ended') return
        }
      } finally {
        open.delete(stream)
        clearTimeout(timer)
        void source.return?.()
      }
    },
    endKey(keyId: bigint): void {
      for (const stream of open) if (stream.keyId === keyId) stream.end('INVALID_KEY', 'The key was revoked.')
    },
    endAll(): void {
      for (const stream of open) stream.end('SHUTTING_DOWN', 'The server is stopping. Connect again.')
    },
  }
}

export type Streams = ReturnType<typeof createStreams>
