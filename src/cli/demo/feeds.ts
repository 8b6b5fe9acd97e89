import { setTimeout as wait } from 'node:timers/promises'
import { CommandError } from '../error.ts'
import type { Ask } from './api.ts'
import { catalogRows, keptRows } from './catalog.ts'
import { feedPaths } from './feed-server.ts'
import { findSource } from './find-source.ts'
import type { Demo } from './steps.ts'

const shop = 'Meadow Outdoor'
const source = `${shop} via Impact`
export const slowSource = 'Kitchen Corner via Impact'
const patienceMs = 60_000
const pollMs = 100

export type Run = {
  id: string
  status: string
  errorMessage: string | null
  rowsRead: number
  productsUpserted: number
  productsRejected: number
  wouldExpireCount: number
}
export type Feed = { id: string; port: number | null; lastRun: Run | null }

const runFields = 'id status errorMessage rowsRead productsUpserted productsRejected wouldExpireCount'
const feedFields = `id port lastRun { ${runFields} }`

/** A retailer whose offers come from a feed over SFTP: its file is taken in, and what it says is shown. */
export async function takeFeedIn(demo: Demo): Promise<string> {
  demo.tell(`taking in a feed of ${catalogRows} rows over SFTP`)
  const feed = await ensureFeed(demo, await ensureShop(demo), feedPaths.quick)
  const [first] = (await runsOf(demo.ask, feed)).slice(-1)
  const run = first ?? (await runFeed(demo.ask, feed))
  return `"${source}", a feed over SFTP: ${run.productsUpserted} offers of ${run.rowsRead} rows, ${run.productsRejected} were refused`
}

/** The next day's file has lost 40 % of its rows: the run is blocked, and nothing that consumers see changes. */
export async function loseRows(demo: Demo): Promise<string> {
  const feed = await ensureFeed(demo, await ensureShop(demo), feedPaths.quick)
  if ((await runsOf(demo.ask, feed)).length === 1) {
    await demo.server.publish(keptRows)
    await runFeed(demo.ask, feed)
  }
  ;[demo.blocked] = await runsOf(demo.ask, feed, { blocked: true })
  const what = 'the same feed a day later, without 40 % of its rows'
  return demo.blocked ? `${what}: its run was blocked, see below` : `${what}: its run was blocked, and somebody decided`
}

/** Its runs, newest first. */
async function runsOf(ask: Ask, { id: feedId }: Feed, filter: object = {}): Promise<Run[]> {
  const { runs } = await ask<{ runs: { nodes: Run[] } }>(
    `query FindRuns($filter: RunFilter!) { runs(first: 100, filter: $filter) { nodes { ... on FeedRun { ${runFields} } } } }`,
    { filter: { feedId, ...filter } },
  )
  return runs.nodes
}

/** A feed whose server takes its time, to be watched; its source is not its retailer's primary, so nobody sees its offers. */
export async function addSlowFeed(demo: Demo): Promise<string> {
  const { id } = await findSource(demo, slowSource)
  demo.slow = await ensureFeed(demo, id, feedPaths.slow)
  return `"${slowSource}", a feed from a slow server; its offers are not shown, as the source is not primary`
}

async function ensureShop(demo: Demo): Promise<string> {
  const { ask } = demo
  const found = await ask<{ sources: { nodes: { id: string }[] } }>(
    'query FindSource($name: String!) { sources(first: 1, filter: { q: $name }) { nodes { id } } }',
    { name: source },
  )
  const [there] = found.sources.nodes
  if (there) return there.id
  const { createRetailer } = await ask<{ createRetailer: { id: string } }>(
    'mutation CreateRetailer($input: CreateRetailerInput!) { createRetailer(input: $input) { id } }',
    { input: { name: shop, slug: 'meadow-outdoor', website: 'https://meadow-outdoor.example' } },
  )
  const { createSource } = await ask<{ createSource: { id: string } }>(
    'mutation CreateSource($input: CreateSourceInput!) { createSource(input: $input) { id } }',
    { input: { retailerId: createRetailer.id, name: source, kind: 'AFFILIATE_FEED', affiliateNetwork: 'IMPACT' } },
  )
  await ask('mutation SetDisplayPrimary($id: ID!) { setDisplayPrimary(id: $id) { id } }', { id: createSource.id })
  return createSource.id
}

/** The feed of a source, enabled, where the demo's server is at this start. */
async function ensureFeed({ ask, server }: Demo, sourceId: string, path: string): Promise<Feed> {
  const { host, port, username, password } = server.place
  const { feeds } = await ask<{ feeds: { nodes: Feed[] } }>(
    `query FindFeed($sourceId: ID!) { feeds(first: 1, filter: { sourceId: $sourceId }) { nodes { ${feedFields} } } }`,
    { sourceId },
  )
  const [there] = feeds.nodes
  if (!there) {
    const { createFeed } = await ask<{ createFeed: Feed }>(
      `mutation CreateFeed($input: CreateFeedInput!) { createFeed(input: $input) { ${feedFields} } }`,
      { input: { sourceId, transport: 'SFTP', host, port, path, username, password } },
    )
    await ask('mutation EnableFeed($id: ID!) { enableFeed(id: $id) { id } }', { id: createFeed.id })
    return createFeed
  }
  if (there.port !== port)
    await ask('mutation MoveFeed($input: UpdateFeedInput!) { updateFeed(input: $input) { id } }', {
      input: { id: there.id, port },
    })
  return there
}

/** Asks for a run and waits for its end. */
export async function runFeed(ask: Ask, { id, lastRun: before }: Feed, signal?: AbortSignal): Promise<Run> {
  await ask('mutation RunFeed($id: ID!) { runFeed(id: $id, force: true) { id } }', { id })
  const deadline = performance.now() + patienceMs
  for (;;) {
    const { feed } = await ask<{ feed: Feed }>(`query ReadFeed($id: ID!) { feed(id: $id) { ${feedFields} } }`, { id })
    const run = feed.lastRun
    if (run && run.id !== before?.id && run.status === 'SUCCEEDED') return run
    if (run && run.id !== before?.id && run.status === 'FAILED')
      throw new CommandError('DEMO_FAILED', `The demo's feed failed: ${run.errorMessage}`)
    if (performance.now() > deadline) throw new CommandError('DEMO_FAILED', "The run of the demo's feed did not end.")
    await wait(pollMs, undefined, { signal })
  }
}
