/** How long a stream may be silent before it says that it lives, where nothing else is asked for. */
export const usualKeepAliveMs = 15_000

/** Says on a quiet stream that it is not dead. It has no cursor: nothing happened. */
export type KeepAlive = { readonly type: 'KeepAlive'; readonly at: Date }

/** Where a stream begins, and which it is: whoever is cut off before anything came resumes from here. */
export type StreamStart = { readonly type: 'StreamStart'; readonly stream: string; readonly position: bigint }

/**
 * Opens a stream that can be left at any moment. A generator alone answers `return` only when its next value is there,
 * which on a quiet stream is never; here `signal` tells it to stop waiting. The first item is fetched at once, so that
 * what is wrong with the request is said before the stream begins.
 */
export async function openStream<Item>(
  make: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
): Promise<AsyncIterableIterator<Item, undefined>> {
  const left = new AbortController()
  const source = make(left.signal)
  let first: IteratorResult<Item, void> | undefined = await source.next()
  const done = { done: true as const, value: undefined }
  const stream: AsyncIterableIterator<Item, undefined> = {
    async next() {
      const result = first ?? (await source.next())
      first = undefined
      return result.done ? done : result
    },
    async return() {
      left.abort()
      await source.return()
      return done
    },
    [Symbol.asyncIterator]: () => stream,
  }
  return stream
}
