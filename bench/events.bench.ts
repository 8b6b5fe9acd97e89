import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/open.ts'
import { makeKey } from '../src/domain/access/key.ts'
import { createLog } from '../src/log.ts'
import { encodeId } from '../src/schema/global-id.ts'
import { median, ratio } from './load.ts'
import { openSubscribers, preciseNow, type Subscribers } from './subscribers.ts'

const subscribers = 1_000
const eventsASecond = 4
const eventsARound = 12
const rounds = 7
const query =
  'subscription ($runId: ID!) { runProgress(runId: $runId) { __typename ... on RunState { number } ... on RunEvent { runId number kind stage counters } } }'

/** 1,000 subscribers of one run, four events a second: through NOTIFY and GraphQL, against raw server-sent events in the same run. */
export async function run(): Promise<object> {
  await using resources = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
  await chmod(dir, 0o755)
  resources.defer(() => rm(dir, { recursive: true, force: true }))
  const key = makeKey()
  const { config } = readConfig({ PORT: '0', FRESHET_DATA_DIR: dir, FRESHET_ADMIN_KEY: key, LOG_LEVEL: 'silent' })
  const database = resources.use(await openDatabase(config))
  const app = resources.use(await startApp({ config, database, log: createLog({ level: 'silent' }) }))
  const client = new pg.Client(database.directUrl)
  await client.connect()
  resources.defer(() => client.end())
  const { rows } = await client.query<{ run_id: string }>(
    "select run_id from freshet.start_run(null, 'FEED', 'MANUAL', null, null, null, now())",
  )
  const runId = rows[0]!.run_id
  const floor = resources.use(await startFloor(database.directUrl))

  const json = { 'content-type': 'application/json', accept: 'text/event-stream' }
  const ours = resources.use(
    await openSubscribers({
      url: `${app.url}/graphql`,
      body: JSON.stringify({ query, variables: { runId: encodeId('FeedRun', runId) } }),
      headers: { ...json, authorization: `Bearer ${key}` },
      subscribers,
    }),
  )
  const raw = resources.use(await openSubscribers({ url: floor.url, body: '{}', headers: json, subscribers }))
  const tell = () => client.query('select freshet.set_run_stage($1, 1, $2, now())', [runId, randomUUID()])
  const tellRaw = () => client.query("select pg_notify('bench_raw', $1)", [JSON.stringify({ stage: randomUUID() })])

  await measure(ours, tell, 4)
  await measure(raw, tellRaw, 4)
  const seen = { ours: [] as number[][], raw: [] as number[][] }
  for (let round = 0; round < rounds; round++) {
    seen.raw.push(await measure(raw, tellRaw, eventsARound))
    seen.ours.push(await measure(ours, tell, eventsARound))
  }
  // The median of the rounds: one stall of the machine must not decide what a hundredth of all arrivals looked like.
  const typical = (of: number[][], percent: number) => median(of.map((delays) => percentile(delays, percent)))
  const share = (of: number[][]) => of.flat().length / (subscribers * eventsARound * rounds)
  const result = {
    delivered: share(seen.ours),
    rawDelivered: share(seen.raw),
    p50Ms: typical(seen.ours, 50),
    p99Ms: typical(seen.ours, 99),
    rawP50Ms: typical(seen.raw, 50),
    rawP99Ms: typical(seen.raw, 99),
  }
  console.log(`${subscribers} subscribers, ${eventsASecond} events a second:`, result)
  return { ...result, p50VsRaw: ratio(result.p50Ms, result.rawP50Ms), p99VsRaw: ratio(result.p99Ms, result.rawP99Ms) }
}

/** Tells so many events at an even pace, and answers how many milliseconds after it was told each arrival came. */
async function measure(watchers: Subscribers, tell: () => Promise<unknown>, events: number): Promise<number[]> {
  const delays: number[] = []
  for (let index = 0; index < events; index++) {
    const [toldAt, pace] = [preciseNow(), wait(1_000 / eventsASecond)]
    await tell()
    const { times } = await watchers.gathered(subscribers, 10_000)
    delays.push(...times.map((at) => at - toldAt))
    await pace
  }
  return delays
}

function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN) * 10) /
    10
  )
}

/** One LISTEN connection and plain node:http: each notification is written to every open response. */
async function startFloor(databaseUrl: string): Promise<AsyncDisposable & { url: string }> {
  const responses = new Set<ServerResponse>()
  const listener = new pg.Client(databaseUrl)
  await listener.connect()
  await listener.query('listen bench_raw')
  listener.on('notification', ({ payload = '' }) => {
    for (const response of responses) response.write(`event: next\ndata: ${payload}\n\n`)
  })
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: next\ndata: {}\n\n')
    responses.add(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await listener.end()
    },
  }
}
