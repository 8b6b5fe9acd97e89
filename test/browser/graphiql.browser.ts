import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, openPage } from './chromium.ts'
import {
  chooseOperation,
  enterKey,
  execute,
  fillEditor,
  keepPicture,
  keyState,
  readAnswer,
  readEditor,
  ready,
  tabTitles,
} from './graphiql-page.ts'
import { goodKey, startStandIn, weakKey } from './stand-in.ts'

let browser: Browser
let server: Awaited<ReturnType<typeof startStandIn>>

beforeAll(async () => {
  server = await startStandIn()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await server[Symbol.asyncDispose]()
})

/** What GraphiQL has kept of its tabs; it waits for a pause before it does. */
const keptTabs = (page: Page) => page.evaluate<string>("localStorage.getItem('graphiql:tabState') ?? ''")

/** Opens a link that carries an operation, and runs it. */
async function run(page: Page, query: string) {
  await page.goto(`${server.url}?query=${encodeURIComponent(query)}`)
  await ready(page)
  await execute(page)
}

test('the page loads from this server alone, breaks no rule of its policy, and fits the window', async () => {
  await using site = await openPage(browser, server.url)
  const { page, complaints } = site
  await page.getByRole('button', { name: /Documentation Explorer/ }).click()
  await page.getByText('Root Types').waitFor()
  await keepPicture(page, 'documentation')
  await page.getByRole('button', { name: /Documentation Explorer/ }).click()
  await keepPicture(page, 'first-visit')
  expect(complaints).toEqual([])
  const bar = await page.locator('#bar').boundingBox()
  const editor = await page.locator('#root > .graphiql-container').boundingBox()
  expect(bar).toMatchObject({ x: 0, y: 0, width: 1280 })
  expect(bar?.height).toBeLessThan(60)
  expect(editor).toEqual({ x: 0, y: bar?.height, width: 1280, height: 800 - (bar?.height ?? 0) })
})

test('a reload asks for the page and the schema, and for nothing else', async () => {
  await using site = await openPage(browser, server.url)
  const settled = async () => {
    await ready(site.page)
    await expect.poll(() => site.page.workers().length).toBe(3)
    await expect.poll(() => server.asked).toContain('POST /graphql')
  }
  await settled()
  server.asked.length = 0
  await site.page.reload()
  await settled()
  expect(server.asked).toEqual(['GET /graphql', 'POST /graphql'])
})

test('a first visit shows what to do and a query that runs without a key', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  expect(await tabTitles(page)).toEqual(['Welcome'])
  expect(await keyState(page)).toBe('no key')
  await execute(page)
  await expect.poll(() => readAnswer(page)).toEqual({ data: { retailers: { totalCount: 0, nodes: [] } } })
})

test('a key entered once goes with every request until the browser tab is closed', async () => {
  await using site = await openPage(browser, server.url)
  const { page, complaints } = site
  await enterKey(page, `  Bearer ${goodKey} `)
  expect(await keyState(page)).toBe('key set (frs_gggggggg…)')
  expect(await page.getByLabel('API key').inputValue()).toBe('')
  await keepPicture(page, 'key-set')

  await page.reload()
  await ready(page)
  expect(await keyState(page)).toBe('key set (frs_gggggggg…)')
  await run(page, 'query Whoami { whoami }')
  await expect.poll(() => readAnswer(page)).toEqual({ data: { whoami: `Bearer ${goodKey}` } })
  await run(page, 'subscription Whoami { whoami }')
  await expect.poll(() => readAnswer(page)).toMatchObject({ data: { whoami: `Bearer ${goodKey}` } })
  expect(complaints).toEqual([])

  await using other = await openPage(browser, server.url)
  expect(await keyState(other.page)).toBe('no key')
})

test('a forgotten key is sent no more', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  await enterKey(page, goodKey)
  await page.getByRole('button', { name: 'Forget' }).click()
  expect(await keyState(page)).toBe('no key')
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
  await run(page, 'query Whoami { whoami }')
  await expect.poll(() => readAnswer(page)).toEqual({ data: { whoami: 'nobody' } })
})

test('a key stays out of what outlives the session, even when typed into an operation', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  await enterKey(page, goodKey)
  await run(page, `query Whoami { whoami } # ${goodKey}`)
  await expect.poll(() => readAnswer(page)).toEqual({ data: { whoami: `Bearer ${goodKey}` } })
  await page.locator('.graphiql-query-editor .view-lines').click()
  await page.keyboard.type(' # typed')
  const kept = () => page.evaluate<string>('JSON.stringify(localStorage)')
  await expect.poll(kept).toContain('# typed')
  expect(await kept()).toContain('# frs_gggggggg…')
  expect(await kept()).not.toContain(goodKey)
  expect(page.url()).toBe(server.url)
})

test('half a key is not taken', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  await enterKey(page, goodKey.slice(0, 40))
  expect(await keyState(page)).toBe('no key: not a whole key: frs_ and 43 characters')
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).toBe('{}')
})

test.each([['query Guarded { guarded }'], ['subscription Guarded { guarded }']])(
  'the bar says what is wrong with the key when %s is refused',
  async (query) => {
    await using site = await openPage(browser, server.url)
    const { page } = site
    await run(page, query)
    await expect.poll(() => keyState(page)).toBe('no key: this needs one, paste it here')
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true')

    await enterKey(page, weakKey)
    await execute(page)
    await expect.poll(() => keyState(page)).toBe('key set (frs_wwwwwwww…): this needs more rights')

    await enterKey(page, `frs_${'x'.repeat(43)}`)
    await execute(page)
    await expect.poll(() => keyState(page)).toBe('key set (frs_xxxxxxxx…): refused, paste another one')
    await keepPicture(page, 'refused')

    await enterKey(page, goodKey)
    await execute(page)
    await expect.poll(() => readAnswer(page)).toMatchObject({ data: { guarded: 'you may' } })
    expect(await keyState(page)).toBe('key set (frs_gggggggg…)')
    expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('false')
  },
)

test('a ready-made operation opens in a tab of its own and leaves the others as they were', async () => {
  await using site = await openPage(browser, server.url)
  const { page, complaints } = site
  await page.locator('.graphiql-query-editor .view-lines').click()
  await page.keyboard.type('# mine ')
  await chooseOperation(page, 'create a retailer')
  await expect.poll(() => tabTitles(page)).toEqual(['Welcome', 'CreateRetailer'])
  await execute(page)
  await expect
    .poll(() => readAnswer(page))
    .toEqual({ data: { createRetailer: { id: 'R1', slug: 'example-shop', name: 'Example Shop' } } })
  await keepPicture(page, 'operation')

  await chooseOperation(page, 'create a source')
  await expect.poll(() => tabTitles(page)).toEqual(['Welcome', 'CreateRetailer', 'CreateSource'])
  await page.keyboard.press('Control+Enter')
  await expect
    .poll(() => readAnswer(page))
    .toMatchObject({ data: { createSource: { id: 'source of the id of a retailer' } } })
  await keepPicture(page, 'variables')

  await page.getByRole('tab', { name: 'CreateRetailer' }).locator('.graphiql-tab-button').click()
  expect(await readAnswer(page)).toMatchObject({ data: { createRetailer: { id: 'R1' } } })
  await page.getByRole('tab', { name: 'Welcome' }).locator('.graphiql-tab-button').click()
  expect(await readEditor(page, 'operation.graphql')).toContain('# mine')

  await expect.poll(() => keptTabs(page)).toContain('mutation CreateSource')
  await page.reload()
  await ready(page)
  expect(await tabTitles(page)).toEqual(['Welcome', 'CreateRetailer', 'CreateSource'])
  expect(complaints).toEqual([])
})

test('a link brings its operation in a tab of its own and leaves the address', async () => {
  await using site = await openPage(browser, `${server.url}?query=${encodeURIComponent('query Whoami { whoami }')}`)
  const { page } = site
  expect(page.url()).toBe(server.url)
  expect(await tabTitles(page)).toEqual(['Whoami'])
  await chooseOperation(page, 'create a source')
  await expect.poll(() => keptTabs(page)).toContain('mutation CreateSource')

  await page.goto(`${server.url}?query=${encodeURIComponent('query Other { whoami }')}`)
  await ready(page)
  expect(await tabTitles(page)).toEqual(['Whoami', 'CreateSource', 'Other'])
  expect(await readEditor(page, 'operation.graphql')).toBe('query Other { whoami }')
  expect(await readEditor(page, 'variables.json')).toBe('')
  expect(await readAnswer(page)).toBeUndefined()
})

/** A tab whose query was answered, and one whose stream is open. */
async function besideAStream(page: Page) {
  await run(page, 'query Runs { runs }')
  await expect.poll(() => readAnswer(page)).toMatchObject({ data: { runs: expect.any(Number) as number } })
  const { data } = (await readAnswer(page)) as { data: { runs: number } }
  await page.getByRole('button', { name: 'New tab' }).click()
  await fillEditor(page, 'operation.graphql', 'subscription Ticks { ticks }')
  await expect.poll(() => tabTitles(page)).toContain('Ticks')
  await execute(page)
  await expect.poll(() => readAnswer(page)).toMatchObject({ data: { ticks: expect.any(Number) as number } })
  return data.runs
}

test('an open stream ends when another operation is chosen, and that one runs', async () => {
  await using site = await openPage(browser, server.url)
  const { page, complaints } = site
  await besideAStream(page)
  await chooseOperation(page, 'create a retailer')
  await expect.poll(() => server.ticking()).toBe(0)
  expect(await readAnswer(page)).toBeUndefined()
  await expect.poll(() => tabTitles(page)).toContain('CreateRetailer')
  await execute(page)
  await expect.poll(() => readAnswer(page)).toMatchObject({ data: { createRetailer: { id: 'R1' } } })
  await keepPicture(page, 'after-a-stream')
  expect(complaints).toEqual([])
})

test('an open stream ends when another tab is chosen, and what stands there runs', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  const before = await besideAStream(page)
  await page.getByRole('tab', { name: 'Runs' }).locator('.graphiql-tab-button').click()
  await expect.poll(() => server.ticking()).toBe(0)
  // GraphiQL reads the operation of a tab a moment after it is chosen; only then it can run it.
  // While an operation runs, the same button ends it: it is pressed again only where no answer comes.
  const next = async () => {
    await execute(page)
    await expect.poll(() => readAnswer(page), { timeout: 1_000 }).toBeDefined()
    return ((await readAnswer(page)) as { data?: { runs: number } }).data?.runs
  }
  await expect.poll(next).toBeGreaterThan(before)
})

test('an open stream ends when a new tab is asked for', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  await besideAStream(page)
  await page.getByRole('button', { name: 'New tab' }).click()
  await expect.poll(() => server.ticking()).toBe(0)
  expect(await readAnswer(page)).toBeUndefined()
})

test('with the keyboard another operation in the place of an open stream runs at once', async () => {
  await using site = await openPage(browser, server.url)
  const { page } = site
  const before = await besideAStream(page)
  await fillEditor(page, 'operation.graphql', 'query Again { runs }')
  await expect.poll(() => tabTitles(page)).toContain('Again')
  await page.locator('.graphiql-query-editor .view-lines').click()
  await page.keyboard.press('Control+Enter')
  await expect.poll(() => readAnswer(page)).toEqual({ data: { runs: before + 1 } })
  await expect.poll(() => server.ticking()).toBe(0)
})

test('a subscription without a key shows that no other site sent it', async () => {
  await using site = await openPage(browser, server.url)
  await run(site.page, 'subscription Csrf { csrf }')
  await expect.poll(() => readAnswer(site.page)).toEqual({ data: { csrf: '1' } })
})
