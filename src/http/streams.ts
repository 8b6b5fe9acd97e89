import { GraphQLError, type ExecutionResult } from 'graphql'
import type { ErrorCode } from '../domain/error-codes.ts'
import { codedError } from './errors.ts'

type Subscriber = {
  keyId: bigint | null
  expiresAt: Date | null
  /** Breaks the connection: for a subscriber who no longer takes what is sent. */
  hangUp: () => void
}
/** A subscription that can also be closed from outside. */
type Watched = AsyncIterableIterator<ExecutionResult> & { close: () => void }
type Stream = {
  keyId: bigint | null
  end: (code: ErrorCode, message: string) => void
  expireAt: (at: Date | null) => void
}

/** What the source threw, as the last thing that is said. */
const asLast = (error: unknown) =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError('The subscription failed.', {
        originalError: error instanceof Error ? error : new Error(String(error)),
      })

const longestTimerMs = 2 ** 31 - 1
/** How long a subscriber may leave what was sent untaken. */
const stallMs = 60_000

/** The subscriptions that are open now, so that each can be ended from outside: its key was revoked, or the server stops. */
export function createStreams(now: () => Date) {
  const open = new Set<Stream>()
  let isStopping = false
  const ofKey = (keyId: bigint) => [...open].filter((stream) => stream.keyId === keyId)
  const stop = (stream: Stream) => stream.end('SHUTTING_DOWN', 'The server is stopping. Connect again.')

  /** Passes a subscription's results on until it ends, its key expires, or it is ended; then a last error says why. */
  function watch(results: AsyncIterable<ExecutionResult>, { keyId, expiresAt, hangUp }: Subscriber): Watched {
    const source = results[Symbol.asyncIterator]()
    let farewell: ExecutionResult | undefined
    let isClosed = false
    let wake = () => {}
    let expiry: NodeJS.Timeout | undefined
    let stall: NodeJS.Timeout | undefined

    const stream: Stream = {
      keyId,
      end(code, message) {
        farewell ??= { errors: [codedError(code, message)] }
        wake()
      },
      expireAt(at) {
        clearTimeout(expiry)
        if (!at) return
        const leftMs = at.getTime() - now().getTime()
        if (leftMs <= 0) stream.end('INVALID_KEY', 'The key has expired.')
        else expiry = setTimeout(() => stream.expireAt(at), Math.min(leftMs, longestTimerMs)).unref()
      },
    }
    const close = () => {
      if (isClosed) return
      isClosed = true
      open.delete(stream)
      clearTimeout(expiry)
      clearTimeout(stall)
      wake()
      source.return?.()?.catch(() => {}) // nobody is left to hear it
    }
    // A subscriber may leave while the source is silent, so waiting must end without it: no generator can do that.
    const take = async (): Promise<IteratorResult<ExecutionResult, undefined>> => {
      if (!isClosed && !farewell) {
        const woken = new Promise<void>((resolve) => (wake = resolve))
        const result = await Promise.race([source.next(), woken])
        if (result && !result.done && !isClosed) return result
      }
      const last = isClosed ? undefined : farewell
      close()
      return last ? { done: false, value: last } : { done: true, value: undefined }
    }
    open.add(stream)
    stream.expireAt(expiresAt)
    if (isStopping) stop(stream)
    return {
      async next() {
        clearTimeout(stall)
        try {
          const result = await take()
          if (!result.done) stall = setTimeout(hangUp, stallMs).unref()
          return result
        } catch (error) {
          close()
          return { done: false, value: { errors: [asLast(error)] } }
        }
      },
      async return() {
        close()
        return { done: true, value: undefined }
      },
      close,
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  return {
    watch,
    get size() {
      return open.size
    },
    keyIds: (): bigint[] => [...new Set([...open].flatMap(({ keyId }) => keyId ?? []))],
    /** Ends what a key had opened. */
    endKey(keyId: bigint): void {
      for (const stream of ofKey(keyId)) stream.end('INVALID_KEY', 'The key was revoked.')
    },
    /** The life of a key was changed while its subscriptions were open. */
    expireKey(keyId: bigint, at: Date | null): void {
      for (const stream of ofKey(keyId)) stream.expireAt(at)
    },
    /** Ends all of them, and those that still come while the server stops. */
    endAll(): void {
      isStopping = true
      for (const stream of open) stop(stream)
    },
  }
}

export type Streams = ReturnType<typeof createStreams>
