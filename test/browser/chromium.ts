import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { ready } from './graphiql-page.ts'

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

/** A page with a record of everything that must not happen on it. */
export async function watchPage(context: BrowserContext, url: string) {
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
  return { page, complaints }
}

/** GraphiQL's page in a browser session of its own, watched. */
export async function openPage(browser: Browser, url: string) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const { page, complaints } = await watchPage(context, url)
  await page.goto(url)
  await ready(page)
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}
