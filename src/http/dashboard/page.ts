import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

const scripts = /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g
const fontSheet = /https:\/\/fonts\.googleapis\.com\/css2[^"'`\s]*/g
const fontHosts = /https:\/\/fonts\.(?:googleapis|gstatic)\.com/g

/** The page asks Google for its fonts. It is to work without a network, and tell nobody that it is looked at. */
function withoutOutside(text: string, basePath: string): string {
  return text.replaceAll(fontSheet, `${basePath}/assets/no-fonts.css`).replaceAll(fontHosts, basePath)
}

/** Only what this server sends may run on the page; its own inline scripts are known by their hashes. */
function policyOf(html: string): string {
  const hashes = [...html.matchAll(scripts)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
  return [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')
}

/** Sends an answer of the dashboard on, without anything in it that leads outside. */
export async function sendPage(answer: Response, response: ServerResponse, basePath: string): Promise<void> {
  const headers = Object.fromEntries(answer.headers)
  delete headers['content-length']
  delete headers['content-encoding']
  headers['referrer-policy'] = 'same-origin'
  headers['x-content-type-options'] = 'nosniff'
  const type = answer.headers.get('content-type') ?? ''
  if (/html|javascript/.test(type)) {
    const text = withoutOutside(await answer.text(), basePath)
    if (type.includes('html')) headers['content-security-policy'] = policyOf(text)
    response.writeHead(answer.status, headers).end(text)
    return
  }
  const body = Buffer.from(await answer.arrayBuffer())
  response.writeHead(answer.status, headers).end(body)
}
