import { readFile } from 'node:fs/promises'
import { createApi, type Ask } from './api.ts'
import type { FeedServer } from './feed-server.ts'
import { findSource } from './find-source.ts'
import { addSlowFeed, loseRows, takeFeedIn, type Feed, type Run } from './feeds.ts'
import { keepKey, readKey, type DemoFolder } from './folder.ts'
import { failJob, loseRun } from './trouble.ts'

export type Demo = {
  url: string
  /** For what no API does: things that go wrong. */
  directUrl: string
  folder: DemoFolder
  ask: Ask
  readKey: string
  /** Where its feeds are fetched from. */
  server: FeedServer
  /** The run that waits for a decision. */
  blocked?: Run
  /** The feed that is there to be watched. */
  slow?: Feed
  /** Says what is about to happen. */
  tell: (step: string) => void
}

/** One step does one thing, through the API where that can do it, changes nothing when it was done before, and says what is there now. */
export type Step = (demo: Demo) => Promise<string>

/** What the demo shows, in order. Each capability adds its own. */
export const steps: Step[] = [
  importRetailers,
  importSources,
  reviewScrapedSource,
  showAffiliateFeed,
  takeFeedIn,
  loseRows,
  addSlowFeed,
  loseRun,
  failJob,
  makeReadKey,
]

const example = (name: string) => readFile(new URL(`../../../examples/${name}`, import.meta.url), 'utf8')

async function importRetailers({ ask }: Demo): Promise<string> {
  const csv = await example('retailers.csv')
  const { importRetailers: counts } = await ask<{ importRetailers: { rows: number } }>(
    'mutation ImportRetailers($csv: String!) { importRetailers(csv: $csv) { rows } }',
    { csv },
  )
  return `${counts.rows} retailers from examples/retailers.csv`
}

async function importSources({ ask }: Demo): Promise<string> {
  const csv = await example('sources.csv')
  const { importSources: counts } = await ask<{ importSources: { rows: number } }>(
    'mutation ImportSources($csv: String!) { importSources(csv: $csv) { rows } }',
    { csv },
  )
  return `${counts.rows} sources from examples/sources.csv`
}

async function reviewScrapedSource(demo: Demo): Promise<string> {
  const { id, name, tosReviewedAt } = await findSource(demo, 'Harbour Books pages')
  const review = {
    id,
    tosApprovedBy: 'the demo',
    notes: 'An invented shop: nothing is fetched.',
    robotsCompliant: true,
  }
  if (!tosReviewedAt) {
    await demo.ask('mutation ReviewSource($input: ReviewSourceInput!) { reviewSource(input: $input) { id } }', {
      input: review,
    })
  }
  return `"${name}", a scraped source whose terms were reviewed; still hidden from consumers`
}

async function showAffiliateFeed(demo: Demo): Promise<string> {
  const { id, name, isDisplayPrimary } = await findSource(demo, 'Alpine via Awin')
  if (!isDisplayPrimary)
    await demo.ask('mutation SetDisplayPrimary($id: ID!) { setDisplayPrimary(id: $id) { id } }', { id })
  return `"${name}", an affiliate feed that its retailer shows instead of the direct source`
}

async function makeReadKey(demo: Demo): Promise<string> {
  const file = demo.folder.readKeyFile
  const kept = await readKey(file)
  if (kept !== undefined && (await isAccepted(demo.url, kept))) demo.readKey = kept
  else {
    const { createApiKey } = await demo.ask<{ createApiKey: { key: string } }>(
      'mutation MakeReadKey { createApiKey(input: { name: "demo reader", scopes: [READ] }) { key } }',
    )
    demo.readKey = createApiKey.key
    await keepKey(file, demo.readKey)
  }
  return 'a key that may only read, used below'
}

async function isAccepted(url: string, key: string): Promise<boolean> {
  return createApi(
    url,
    key,
  )('{ __typename }').then(
    () => true,
    () => false,
  )
}
