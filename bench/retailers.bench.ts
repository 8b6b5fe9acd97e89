import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/open.ts'
import { createLog } from '../src/log.ts'
import { load, median, ratio } from './load.ts'

const rounds = 3
const seconds = 2
const query =
  'query Page($after: String) { retailers(first: 50, after: $after) { nodes { id name website } pageInfo { hasNextPage endCursor } } }'

/** A page of 50 retailers out of 20,000, and an empty query: our server against JSON made by Postgres behind plain node:http. */
export async function run(): Promise<object> {
  await using resources = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'freshet-bench-'))
  await chmod(dir, 0o755)
  resources.defer(() => rm(dir, { recursive: true, force: true }))
  const { config } = readConfig({ PORT: '0', FRESHET_DATA_DIR: dir, LOG_LEVEL: 'silent' })
  const database = resources.use(await openDatabase(config))
  const app = resources.use(await startApp({ config, database, log: createLog({ level: 'silent' }) }))
  const floor = resources.use(await startFloor(database.url))

  const cases = {
    page: {
      ours: { url: `${app.url}/graphql`, body: JSON.stringify({ query }) },
      floor: { url: `${floor.url}/page`, body: '{}' },
    },
    empty: {
      ours: { url: `${app.url}/graphql`, body: '{"query":"{__typename}"}' },
      floor: { url: `${floor.url}/empty`, body: '{}' },
    },
  }
  const result: Record<string, number> = {}
  for (const [name, { ours, floor: against }] of Object.entries(cases)) {
    await load({ ...ours, seconds: 1 })
    await load({ ...against, seconds: 1 })
    const rates: { ours: number; floor: number }[] = []
    for (let round = 0; round < rounds; round++)
      rates.push({ ours: await load({ ...ours, seconds }), floor: await load({ ...against, seconds }) })
    const [own, best] = [median(rates.map((rate) => rate.ours)), median(rates.map((rate) => rate.floor))]
    console.log(`${name}: ${own} requests/s against ${best} of the floor`)
    result[`${name}VsFloor`] = ratio(own, best)
  }
  return result
}

async function startFloor(url: string): Promise<AsyncDisposable & { url: string }> {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query(
    `insert into freshet.retailers (slug, name, website) select 'shop-' || n, 'Shop ' || n, 'https://shop-' || n || '.example/' from generate_series(1, 20000) n`,
  )
  await pool.query('analyze freshet.retailers')
  const page = {
    name: 'page',
    text: `select json_build_object('data', json_agg(r)) as body from (select id, name, website from freshet.retailers order by name, id limit 51) r`,
  }
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    if (request.url === '/empty') response.end('{"data":{"__typename":"Query"}}')
    else void pool.query<{ body: unknown }>(page).then(({ rows }) => response.end(JSON.stringify(rows[0]?.body)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await pool.end()
    },
  }
}
