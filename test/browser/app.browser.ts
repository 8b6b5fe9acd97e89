import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase, type TestDatabase } from '../support/database.ts'
import { at } from '../support/moment.ts'
import { call, startRun } from '../support/runs.ts'
import { launchChromium, openPage } from './chromium.ts'
import {
  chooseOperation,
  enterKey,
  execute,
  fillEditor,
  keepPicture,
  keyState,
  readAnswer,
  tabTitles,
} from './graphiql-page.ts'

let app: App
let pool: TestDatabase['pool']
let browser: Browser
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  const stand = resources.use(await cloneDatabase())
  const { url } = stand
  pool = stand.pool
  const key = randomBytes(32).toString('base64')
  const { config } = readConfig({ DATABASE_URL: url, CREDENTIAL_ENCRYPTION_KEY_B64: key, HOST: '127.0.0.1', PORT: '0' })
  const database = resources.use(await openDatabase(config))
  app = resources.use(await startApp({ config, database, log: createLog({ level: 'silent' }) }))
  browser = await launchChromium()
  resources.defer(() => browser.close())
})
afterAll(() => resources.disposeAsync())

/** Opens a ready-made operation, runs it with these variables and returns the answer. */
async function run(page: Page, label: string, variables?: object): Promise<Record<string, unknown>> {
  const tabs = (await tabTitles(page)).length
  await chooseOperation(page, label)
  // GraphiQL names a tab a moment later, when it has read the operation; only then it can run it.
  await expect.poll(async () => (await tabTitles(page))[tabs]).toMatch(/^\w+$/)
  if (variables) await fillEditor(page, 'variables.json', JSON.stringify(variables))
  await execute(page)
  await expect.poll(() => readAnswer(page)).toBeDefined()
  const answer = (await readAnswer(page)) as { data: Record<string, unknown>; errors?: unknown }
  expect(answer.errors).toBeUndefined()
  return answer.data
}

test('a newcomer with the key of the first start creates a retailer, a source and a key', async () => {
  await using site = await openPage(browser, `${app.url}/graphql`)
  const { page, complaints } = site
  await execute(page)
  await expect.poll(() => readAnswer(page)).toEqual({ data: { retailers: { totalCount: 0, nodes: [] } } })

  await enterKey(page, app.firstKey ?? '')
  const { createRetailer } = await run(page, 'create a retailer')
  const retailer = createRetailer as { id: string; name: string }
  expect(retailer).toMatchObject({ slug: 'example-shop', name: 'Example Shop' })

  const { createSource } = await run(page, 'create a source', { retailerId: retailer.id })
  const source = createSource as { id: string }
  expect(source).toMatchObject({ visibility: { visible: true, reason: 'DIRECT_WITHOUT_PRIMARY' } })
  const { setDisplayPrimary } = await run(page, 'make a source the display primary', { id: source.id })
  expect(setDisplayPrimary).toMatchObject({ visibility: { visible: true, reason: 'IS_PRIMARY' } })
  const { reviewSource } = await run(page, 'record a review of the terms', { id: source.id })
  expect(reviewSource).toMatchObject({ tosApprovedBy: 'your name', robotsCompliant: true })
  await run(page, 'show or hide a source', { id: source.id, status: 'ELIGIBLE' })

  const { retailers } = await run(page, 'list retailers with their sources')
  expect(retailers).toMatchObject({
    nodes: [{ id: retailer.id, sources: [{ id: source.id, isDisplayPrimary: true }] }],
  })
  await keepPicture(page, 'app')
  const { importRetailers } = await run(page, 'import a list of retailers')
  expect(importRetailers).toMatchObject({ rows: 2, created: 1, unchanged: 1, dryRun: true })
  const { importSources } = await run(page, 'import a list of sources')
  expect(importSources).toMatchObject({ rows: 1, dryRun: true })

  const { createApiKey } = await run(page, 'create a key')
  const created = createApiKey as { key: string; apiKey: { id: string } }
  expect(created.key).toMatch(/^frs_[\w-]{43}$/)
  const { apiKeys } = await run(page, 'list the keys')
  expect(apiKeys).toMatchObject({ nodes: [{ name: 'reporting' }, { name: 'first admin' }] })
  const { revokeApiKey } = await run(page, 'revoke a key', { id: created.apiKey.id })
  expect(revokeApiKey).toMatchObject({ name: 'reporting' })
  const { auditLog } = await run(page, 'read the audit log')
  expect(auditLog).toMatchObject({
    nodes: expect.arrayContaining([expect.objectContaining({ action: 'REVOKE_API_KEY' })]),
  })
  expect(complaints).toEqual([])

  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(created.key)
  await enterKey(page, created.key)
  await expect.poll(() => keyState(page)).toBe(`key set (${created.key.slice(0, 12)}…): refused, paste another one`)
})

test('an operator lists the runs and watches one live until it ends', async () => {
  await using site = await openPage(browser, `${app.url}/graphql`)
  const { page, complaints } = site
  await enterKey(page, app.firstKey ?? '')
  const { id } = await startRun(pool)
  const { runs } = await run(page, 'list the newest runs')
  const [listed] = (runs as { nodes: { id: string; status: string }[] }).nodes
  expect(listed).toMatchObject({ kind: 'FEED', status: 'RUNNING' })

  const { runProgress } = await run(page, 'watch a run live', { runId: listed?.id })
  expect(runProgress).toMatchObject({ __typename: 'RunState', number: 1, run: { status: 'RUNNING' } })
  await call(pool, 'set_run_stage', id, 1, 'DOWNLOAD', at(1))
  await expect.poll(() => readAnswer(page)).toMatchObject({ data: { runProgress: { number: 2, stage: 'DOWNLOAD' } } })
  await keepPicture(page, 'watch-run')
  await call(pool, 'finish_run', id, 1, at(2))
  await expect.poll(() => readAnswer(page)).toMatchObject({ data: { runProgress: { number: 3, kind: 'SUCCEEDED' } } })
  expect(complaints).toEqual([])
})
