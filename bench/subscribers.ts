import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'

type Watched = { url: string; body: string; headers: Record<string, string>; subscribers: number }
/** When each message arrived, on a clock that all threads share. */
export type Arrivals = { times: number[] }

export type Subscribers = AsyncDisposable & {
  /** Answers when so many messages came since the last time, or when it takes too long. */
  gathered(messages: number, deadlineMs: number): Promise<Arrivals>
}

/** Opens many streams of server-sent events from a thread of its own, and notes when each message arrives. */
export async function openSubscribers(options: Watched): Promise<Subscribers> {
  const worker = new Worker(new URL(import.meta.url), { workerData: options })
  const ask = (message: object) =>
    new Promise<Arrivals>((done) => {
      worker.once('message', done)
      worker.postMessage(message)
    })
  await once(worker, 'message') // which also fails when the thread does
  return {
    gathered: (messages, deadlineMs) => ask({ messages, deadlineMs }),
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

/** Milliseconds since the epoch, finer than a millisecond, alike in all threads. */
export const preciseNow = (): number => performance.timeOrigin + performance.now()

if (!isMainThread && parentPort) {
  const port = parentPort
  const { url, body, headers, subscribers } = workerData as Watched
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  let times: number[] = []
  let begun = 0
  const open = () =>
    request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } },
      (response) => {
        if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
        let isFirst = true
        response.on('data', (chunk: Buffer) => {
          const at = preciseNow()
          for (let from = chunk.indexOf('data: {'); from >= 0; from = chunk.indexOf('data: {', from + 7)) {
            if (isFirst && ++begun === subscribers) port.postMessage('all have begun')
            else if (!isFirst) times.push(at)
            isFirst = false
          }
        })
      },
    ).end(body)
  for (let index = 0; index < subscribers; index++) open()
  port.on('message', async ({ messages, deadlineMs }: { messages: number; deadlineMs: number }) => {
    const end = preciseNow() + deadlineMs
    while (times.length < messages && preciseNow() < end) await new Promise((done) => setTimeout(done, 5))
    port.postMessage({ times } satisfies Arrivals)
    times = []
  })
}
