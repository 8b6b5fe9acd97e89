import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendProblem } from '../problem.ts'
import { prefersHtml } from './accept.ts'
import { packAssets, sendAsset, type Assets } from './assets.ts'
import { pagePolicy, renderPage } from './html.ts'
import { loadOperations } from './operations.ts'

type Page = { html: string; etag: string; assets: Assets }

/** Serves the GraphiQL page and its assets; answers false for any other request. */
export function createGraphiql(options: {
  title: string
  endpoint: string
  /** Told when the page cannot be made; the browser only learns that it failed. */
  onError?: (error: unknown) => void
  operationsFolder?: URL
}): { handle(request: IncomingMessage, response: ServerResponse): boolean } {
  const { title, endpoint, onError, operationsFolder } = options
  const assetsUrl = `${endpoint}/assets`
  let loading: Promise<Page> | undefined

  async function load(): Promise<Page> {
    const [welcome, ...operations] = loadOperations(operationsFolder)
    const assets = await packAssets(assetsUrl, operations)
    const html = renderPage({ title, endpoint, assets, welcome })
    return { html, etag: `"${createHash('sha256').update(html).digest('hex').slice(0, 16)}"`, assets }
  }

  /** Made at the first request, then kept; a failure is not kept, so that the next request tries again. */
  function page(): Promise<Page> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  function answer(response: ServerResponse, send: (made: Page) => void): true {
    page()
      .then(send)
      .catch((error: unknown) => {
        onError?.(error)
        if (response.headersSent) response.destroy()
        else sendProblem(response, 500, 'GraphiQL could not be loaded. The log of the server says why.')
      })
    return true
  }

  return {
    handle(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const path = request.url?.split('?', 1)[0] ?? ''
      if (path === endpoint || path === `${endpoint}/`) {
        if (!prefersHtml(request.headers.accept)) return false
        return answer(response, (made) => sendPage(made, request, response))
      }
      const name = path.startsWith(`${assetsUrl}/`) ? path.slice(assetsUrl.length + 1) : ''
      if (!/^[a-z-]+\.[0-9a-f]{16}\.[a-z]+$/.test(name)) return false
      return answer(response, ({ assets }) => {
        const asset = assets.named(name)
        if (asset) sendAsset(asset, request, response)
        else sendProblem(response, 404, 'This file belongs to another version of the page. Reload the page.')
      })
    },
  }
}

function sendPage({ html, etag }: Page, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('cache-control', 'no-cache')
  response.setHeader('content-security-policy', pagePolicy)
  response.setHeader('etag', etag)
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('vary', 'accept')
  response.setHeader('x-content-type-options', 'nosniff')
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end()
    return
  }
  const body = Buffer.from(html)
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}
