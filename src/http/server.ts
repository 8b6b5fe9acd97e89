import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../config.ts'
import { withLogFields, type Log } from '../log.ts'
import { callerAddress } from './authentication.ts'
import type { Visitor } from './gate.ts'
import { answerHealthz, answerReadyz, type Check } from './health.ts'
import type { Metrics } from './metrics.ts'
import { sendProblem } from './problem.ts'
import type { Streams } from './streams.ts'

export type HttpParts = {
  config: Config
  log: Log
  metrics: Metrics
  streams: Streams
  checks: Check[]
  /** Absent in a process that only works jobs: it answers health and metrics alone. */
  graphql?: (request: IncomingMessage, response: ServerResponse, context: { visitor: Visitor }) => unknown
  graphiql?: { handle(request: IncomingMessage, response: ServerResponse): boolean }
}

export type HttpServer = AsyncDisposable & { readonly url: string }

const requestIdForm = /^[\w.:-]{1,100}$/

/** Listens until it is disposed of. Then it refuses newcomers at once and lets those inside finish. */
export async function startHttp(parts: HttpParts): Promise<HttpServer> {
  const { config, streams } = parts
  let stopping = false
  const checks = [...parts.checks, { name: 'process', run: async () => (stopping ? 'is stopping' : undefined) }]
  const server = createServer(
    { requestTimeout: config.http.requestSeconds * 1000, headersTimeout: 10_000 },
    (request, response) => {
      const given = String(request.headers['x-request-id'] ?? '')
      const requestId = requestIdForm.test(given) ? given : randomUUID()
      response.setHeader('x-request-id', requestId)
      if (stopping) response.setHeader('connection', 'close')
      withLogFields({ requestId }, () => void answer({ ...parts, checks }, request, response, requestId))
    },
  )
  server.listen(config.http.port, config.http.host)
  await once(server, 'listening')
  return {
    url: `http://${shownHost(config.http.host)}:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      if (stopping) return
      stopping = true
      streams.endAll()
      await closeWithin(server, config.shutdownSeconds)
    },
  }
}

async function answer(
  parts: HttpParts,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  const { config, log } = parts
  const started = performance.now()
  const path = new URL(request.url ?? '/', 'http://local').pathname
  response.once('close', () =>
    log[path === '/graphql' ? 'info' : 'debug'](
      { method: request.method, path, status: response.statusCode, ms: Math.round(performance.now() - started) },
      'answered',
    ),
  )
  try {
    if (path === '/healthz') answerHealthz(response)
    else if (path === '/readyz') await answerReadyz(response, parts.checks)
    else if (path === '/metrics')
      response
        .writeHead(200, { 'content-type': parts.metrics.registry.contentType })
        .end(await parts.metrics.registry.metrics())
    else if (parts.graphiql?.handle(request, response)) return
    else if (path === '/graphql' && parts.graphql) {
      const tooLarge = bodyProblem(request, config.http.maxBodyBytes)
      if (tooLarge) return refuseBody(request, response, tooLarge)
      const visitor = {
        requestId,
        address: callerAddress(request, config.http.proxyHops),
        authorization: request.headers.authorization,
      }
      await parts.graphql(request, response, { visitor })
    } else if (path === '/') response.writeHead(302, { location: '/graphql' }).end()
    else
      sendProblem(
        response,
        404,
        'There is nothing here. GraphQL is at /graphql, health at /healthz and /readyz, metrics at /metrics.',
      )
  } catch (error) {
    log.error({ err: error, path }, 'a request failed')
    if (response.headersSent) response.destroy()
    else sendProblem(response, 500, 'Something went wrong on our side.')
  }
}

type BodyProblem = { status: number; detail: string }

/** Whether the body is known to be small enough before a byte of it is read. */
function bodyProblem(request: IncomingMessage, maxBytes: number): BodyProblem | undefined {
  if (request.headers['transfer-encoding']) return { status: 411, detail: 'Send the body with a Content-Length.' }
  const bytes = Number(request.headers['content-length'] ?? 0)
  return bytes <= maxBytes
    ? undefined
    : { status: 413, detail: `The body may have at most ${maxBytes} bytes; this one has ${bytes}.` }
}

function refuseBody(request: IncomingMessage, response: ServerResponse, { status, detail }: BodyProblem): void {
  response.setHeader('connection', 'close')
  sendProblem(response, status, detail)
  request.resume()
}

/** Waits for requests at work, then cuts whoever is left. */
async function closeWithin(server: Server, seconds: number): Promise<void> {
  const closed = once(server, 'close')
  const deadline = setTimeout(() => server.closeAllConnections(), seconds * 1000)
  server.close()
  server.closeIdleConnections()
  await closed
  clearTimeout(deadline)
}

const shownHost = (host: string) =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
