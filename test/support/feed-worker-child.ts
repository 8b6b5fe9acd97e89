// A worker of feeds in a process of its own, to be killed. It loads all there is to load and then waits for its orders, one
// line, so that one can be at hand before it is needed.
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { feedIngestOf } from '../../src/jobs/feed-ingest.ts'
import { runServer } from '../../src/main.ts'

process.stdin.once('end', () => process.exit()) // whoever started it is gone
const [line] = (await once(createInterface(process.stdin), 'line')) as [string]
const { env, chunkSize } = JSON.parse(line) as { env: Record<string, string>; chunkSize?: number }
const stop = new AbortController()
process.once('SIGTERM', () => stop.abort('SIGTERM'))
await runServer(env, { out: process.stdout, signal: stop.signal, jobs: [feedIngestOf(chunkSize)] })
process.exit()
