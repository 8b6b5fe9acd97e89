import type { ExecutionResult } from 'graphql'
import { afterEach, expect, test, vi } from 'vitest'
import { createStreams } from '../../src/http/streams.ts'

const dayMs = 86_400_000

afterEach(() => {
  vi.useRealTimers()
})

/** Streams on a driven clock, and a source that says what the test lets it say. */
function setup() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const streams = createStreams(() => new Date())
  const pending: PromiseWithResolvers<IteratorResult<ExecutionResult>>[] = []
  const source = {
    isClosed: false,
    next() {
      const step = Promise.withResolvers<IteratorResult<ExecutionResult>>()
      pending.push(step)
      return step.promise
    },
    async return() {
      source.isClosed = true
      return { done: true as const, value: undefined }
    },
    [Symbol.asyncIterator]: () => source,
  }
  const hangUp = vi.fn<() => void>()
  return {
    streams,
    source,
    hangUp,
    say: (event: string) => pending.shift()?.resolve({ done: false, value: { data: { event } } }),
    finish: () => pending.shift()?.resolve({ done: true, value: undefined }),
    fail: (error: Error) => pending.shift()?.reject(error),
    watch: (keyId: bigint | null = 1n, expiresAt: Date | null = null) =>
      streams.watch(source, { keyId, expiresAt, hangUp }),
  }
}

const done = { done: true, value: undefined }
const event = (name: string) => ({ done: false, value: { data: { event: name } } })
const farewell = (code: string, message: string) => ({
  done: false,
  value: { errors: [expect.objectContaining({ message, extensions: expect.objectContaining({ code }) as unknown })] },
})

test('events pass until the source ends', async () => {
  const { streams, watch, say, finish } = setup()
  const stream = watch()
  expect(streams.size).toBe(1)
  const first = stream.next()
  say('a')
  expect(await first).toEqual(event('a'))
  const last = stream.next()
  finish()
  expect(await last).toEqual(done)
  expect(await stream.next()).toEqual(done)
  expect(streams.size).toBe(0)
})

test('a subscriber who leaves while the source is silent leaves nothing behind', async () => {
  const { streams, source, watch } = setup()
  const stream = watch(1n, new Date(Date.now() + dayMs))
  const next = stream.next()
  expect(await stream.return?.()).toEqual(done)
  expect(await next).toEqual(done)
  expect(streams.size).toBe(0)
  expect(source.isClosed).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('one who never began to listen can be closed as well', async () => {
  const { streams, source, watch } = setup()
  watch().close()
  expect([streams.size, source.isClosed]).toEqual([0, true])
})

test('a key that is revoked ends its streams and no others', async () => {
  const { streams, watch } = setup()
  const [one, two, anonymous] = [watch(1n), watch(2n), watch(null)]
  const next = one.next()
  streams.endKey(1n)
  expect(await next).toEqual(farewell('INVALID_KEY', 'The key was revoked.'))
  expect(await one.next()).toEqual(done)
  expect(streams.keyIds()).toEqual([2n])
  expect(streams.size).toBe(2)
  two.close()
  anonymous.close()
})

test('what ends between two events is told at the next', async () => {
  const { streams, watch } = setup()
  const stream = watch()
  streams.endKey(1n)
  expect(await stream.next()).toEqual(farewell('INVALID_KEY', 'The key was revoked.'))
  expect(await stream.next()).toEqual(done)
})

test('a key that expires ends its stream at that moment, also one that lives longer than a timer can', async () => {
  const { watch } = setup()
  for (const days of [1, 100]) {
    let result: unknown
    void watch(1n, new Date(Date.now() + days * dayMs))
      .next()
      .then((value) => (result = value))
    await vi.advanceTimersByTimeAsync(days * dayMs - 1)
    expect(result).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(result).toEqual(farewell('INVALID_KEY', 'The key has expired.'))
  }
})

test('the life of a key can be changed while its stream is open', async () => {
  const { streams, watch } = setup()
  const stream = watch(1n, new Date(Date.now() + dayMs))
  const next = stream.next()
  streams.expireKey(1n, null)
  await vi.advanceTimersByTimeAsync(2 * dayMs)
  expect(streams.size).toBe(1)
  streams.expireKey(1n, new Date(Date.now() + 1000))
  await vi.advanceTimersByTimeAsync(1000)
  expect(await next).toEqual(farewell('INVALID_KEY', 'The key has expired.'))
})

test('a stop ends all streams, and those that still come', async () => {
  const { streams, watch } = setup()
  const stream = watch()
  const next = stream.next()
  streams.endAll()
  expect(await next).toEqual(farewell('SHUTTING_DOWN', 'The server is stopping. Connect again.'))
  expect(await watch().next()).toEqual(farewell('SHUTTING_DOWN', 'The server is stopping. Connect again.'))
  expect(streams.size).toBe(0)
})

test('a source that fails says so once, and the stream is over', async () => {
  const { streams, watch, fail } = setup()
  const stream = watch()
  const next = stream.next()
  const error = new Error('broken')
  fail(error)
  expect(await next).toMatchObject({ done: false, value: { errors: [{ originalError: error }] } })
  expect(await stream.next()).toEqual(done)
  expect(streams.size).toBe(0)
})

test('a subscriber who does not take what was sent is hung up on after 60 s; one who waits for more is not', async () => {
  const { watch, say, hangUp } = setup()
  const stream = watch()
  const first = stream.next()
  say('a')
  await first
  await vi.advanceTimersByTimeAsync(59_999)
  const second = stream.next()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(hangUp).not.toHaveBeenCalled()
  say('b')
  await second
  await vi.advanceTimersByTimeAsync(59_999)
  expect(hangUp).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(hangUp).toHaveBeenCalledOnce()
  stream.close()
})
