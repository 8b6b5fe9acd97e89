import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

const reportViolations = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('refused by policy: ' + event.violatedDirective + ' ' + event.blockedURI)
})`

/** Debian's Chromium, or the one that CHROMIUM_PATH names. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [...flags, '--disable-component-update', '--disable-sync'],
  })
}

/** A page in a browser session of its own, with a record of everything that must not happen on it. */
export async function openPage(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const complaints: string[] = []
  const origin = new URL(url).origin
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url())
    if (asked !== origin && protocol !== 'data:') complaints.push(`request to ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  await page.addInitScript({ content: reportViolations })
  await page.goto(url)
  await ready(page)
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

/** Waits until operations can be opened and the schema has arrived. */
export async function ready(page: Page): Promise<void> {
  await page.locator('#operations:enabled').waitFor()
  await page.locator('.graphiql-execute-button').waitFor()
}

/** Keeps a picture of the page for people to look at. */
export function keepPicture(page: Page, name: string): Promise<Buffer> {
  return page.screenshot({ path: join(tmpdir(), `freshet-graphiql-${name}.png`) })
}

export const tabTitles = (page: Page) => page.locator('[role=tab] .graphiql-tab-button').allTextContents()

/** The text of one of GraphiQL's editors: operation.graphql, variables.json or response.json. */
export function readEditor(page: Page, file: string): Promise<string> {
  return page.evaluate<string>(
    `monaco.editor.getEditors().find((editor) => editor.getModel()?.uri.path.endsWith('${file}')).getValue()`,
  )
}

/** What the response pane shows. */
export async function readAnswer(page: Page): Promise<unknown> {
  const text = await readEditor(page, 'response.json')
  return text === '' ? undefined : JSON.parse(text)
}
