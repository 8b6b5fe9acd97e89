import { Agent, request } from 'node:http'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'

type Load = { url: string; body: string; seconds: number; connections?: number }

/** Posts a body again and again over a few connections, from a thread of its own; answers requests a second. */
export async function load(options: Load): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: options })
  return new Promise((done, fail) => worker.once('message', done).once('error', fail))
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

export const ratio = (part: number, whole: number): number => Math.round((part / whole) * 100) / 100

if (!isMainThread && parentPort) {
  const { url, body, seconds, connections = 16 } = workerData as Load
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const end = performance.now() + seconds * 1000
  let count = 0
  const post = () =>
    new Promise<void>((done, fail) => {
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        if (response.statusCode !== 200) fail(new Error(`status ${response.statusCode}`))
        response.resume().on('end', done)
      })
      sent.on('error', fail)
      sent.end(body)
    })
  const keepPosting = async () => {
    while (performance.now() < end) {
      await post()
      count++
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, keepPosting))
  agent.destroy()
  parentPort.postMessage(Math.round((count * 1000) / (performance.now() - started)))
}
