import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the stand answers: a status with Slack's own word for it, or something of the test's. */
export type Reply =
  | { status: number; body?: string; headers?: Record<string, string> }
  | ((response: ServerResponse) => void)

/** The answers of Slack's incoming webhooks, as it gives them. */
export const slackReplies = {
  ok: { status: 200, body: 'ok' },
  busy: { status: 429, body: 'rate_limited', headers: { 'retry-after': '30' } },
  invalid: { status: 400, body: 'invalid_payload' },
  forbidden: { status: 403, body: 'invalid_token' },
  gone: { status: 404, body: 'no_service' },
  archived: { status: 410, body: 'channel_is_archived' },
  broken: { status: 500, body: 'rollup_error' },
} satisfies Record<string, Reply>

/** A part of the address that must never be seen anywhere else. */
export const webhookSecret = 'T00SECRET/B00SECRET/vErYsEcReT'

/** Slack on loopback. It answers `ok` unless `replies` holds something else, in order. */
export async function startSlack() {
  const messages: { text: string; [field: string]: unknown }[] = []
  const replies: Reply[] = []
  const paths: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      paths.push(`${request.method} ${request.url}`)
      messages.push(JSON.parse(Buffer.concat(parts).toString('utf8')) as { text: string })
      const reply: Reply = replies.shift() ?? slackReplies.ok
      if (typeof reply === 'function') reply(response)
      else response.writeHead(reply.status, { 'content-type': 'text/plain', ...reply.headers }).end(reply.body ?? '')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/${webhookSecret}`,
    messages,
    replies,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
