import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Config } from '../config.ts'
import { withLogFields, type Log } from '../log.ts'
import { openNear } from '../near-port.ts'
import { callerAddress } from './authentication.ts'
import { answerCors } from './cors.ts'
import { isDashboard, type QueueDashboard } from './dashboard/dashboard.ts'
import type { Visitor } from './gate.ts'
import { answerHealthz, answerReadyz, createReadiness, type Check } from './health.ts'
import { createHostCheck } from './hosts.ts'
import type { Metrics } from './metrics.ts'
import { problem, problemType, sendProblem } from './problem.ts'
import type { Streams } from './streams.ts'

type HttpParts = {
  metrics: Metrics
  streams: Streams
  checks: Check[]
  /** Absent in a process that only works jobs: it answers health and metrics alone. */
  graphql?: (request: IncomingMessage, response: ServerResponse, context: { visitor: Visitor }) => unknown
  graphiql?: { handle(request: IncomingMessage, response: ServerResponse): boolean }
  dashboard?: QueueDashboard
}
type Answering = Omit<HttpParts, 'checks' | 'streams'> & {
  config: Config
  log: Log
  readiness: ReturnType<typeof createReadiness>
  isAskedFor: ReturnType<typeof createHostCheck>
}

export type HttpServer = AsyncDisposable & {
  readonly url: string
  /** From now on requests are answered. */
  serve(parts: HttpParts): void
}

/**
 * Listens until it is disposed of: until it is told what to serve it says that it is starting, so that a port that is taken is
 * known before anything else begins. When it stops it refuses newcomers at once and lets those inside finish.
 */
export async function openHttp(config: Config, log: Log, { orNextPort = false } = {}): Promise<HttpServer> {
  const requestMs = config.http.requestSeconds * 1000
  const sockets = new Set<Socket>()
  const responses = new Set<ServerResponse>()
  let isStopping = false
  let answering: Answering | undefined
  let endStreams = () => {}

  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: Math.min(10_000, requestMs),
      connectionsCheckingInterval: Math.min(5_000, requestMs),
    },
    (request, response) => {
      const requestId = requestIdOf(request)
      response.setHeader('x-request-id', requestId)
      if (isStopping) response.setHeader('connection', 'close')
      responses.add(response)
      response.once('close', () => {
        responses.delete(response)
        if (isStopping) request.socket.end() // or it would idle for seconds before the server can close
      })
      const parts = answering
      if (!parts) answerEarly(request, response)
      else withLogFields({ requestId }, () => void answer(parts, request, response, requestId))
    },
  )
  server.timeout = requestMs + 10_000 // for those who do not take their answer
  server.on('clientError', answerUnreadable)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const listen = (port: number) => once(server.listen(port, config.http.host), 'listening')
  await (orNextPort ? openNear(config.http.port, listen) : listen(config.http.port))
  return {
    url: `http://${shownHost(config.http.host)}:${(server.address() as AddressInfo).port}`,
    serve({ checks, streams, ...parts }) {
      const whenRunning = createReadiness(checks, log)
      const readiness = async () => (isStopping ? unready('is stopping') : whenRunning())
      endStreams = () => streams.endAll()
      answering = { ...parts, config, log, readiness, isAskedFor: createHostCheck(config.http) }
    },
    async [Symbol.asyncDispose]() {
      if (isStopping) return
      isStopping = true
      for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close')
      endStreams()
      // Browsers connect in advance: to Node such a connection is not idle, it waits for a request.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
      await closeWithin(server, config.shutdownSeconds)
    },
  }
}

const unready = (process: string) => ({ parts: { process }, failing: ['process'] })

/** Before there is anything to serve: the process is alive, and not ready. */
function answerEarly(request: IncomingMessage, response: ServerResponse): void {
  const path = readTarget(request)
  if (path === '/healthz') return answerHealthz(response)
  if (path === '/readyz') return answerReadyz(response, unready('is starting'))
  response.setHeader('retry-after', '1')
  sendProblem(response, 503, 'The server is starting. Try again in a moment.')
}

const requestIdForm = /^[\w.:-]{1,100}$/

/** The caller's own id for the request, if it has the form of one and is not a key in the wrong place. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = String(headers['x-request-id'] ?? '')
  return requestIdForm.test(given) && !given.includes('frs_') ? given : randomUUID()
}

async function answer(
  parts: Answering,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): Promise<void> {
  const { log } = parts
  const started = performance.now()
  const path = readTarget(request)
  response.once('close', () => {
    const fields = {
      method: request.method,
      path,
      status: response.statusCode,
      ms: Math.round(performance.now() - started),
    }
    // Named again: when the caller hangs up, this runs outside of the request.
    log[path === '/graphql' ? 'info' : 'debug']({ requestId, ...fields }, 'answered')
  })
  try {
    if (path === undefined) sendProblem(response, 400, 'The address or the Host header cannot be read.')
    else if (path === '/healthz') answerHealthz(response)
    else if (path === '/readyz') answerReadyz(response, await parts.readiness())
    else if (!parts.isAskedFor(request.headers.host)) sendMisdirected(response)
    else if (path === '/metrics')
      response
        .writeHead(200, { 'content-type': parts.metrics.registry.contentType })
        .end(await parts.metrics.registry.metrics())
    else if (parts.graphql)
      await answerGraphql({ ...parts, graphql: parts.graphql }, request, response, path, requestId)
    else sendNothingHere(response)
  } catch (error) {
    log.error({ err: error, path }, 'a request failed')
    if (response.headersSent) response.destroy()
    else sendProblem(response, 500, 'Something went wrong on our side.')
  }
}

async function answerGraphql(
  { config, graphql, graphiql, dashboard }: Answering & Required<Pick<HttpParts, 'graphql'>>,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  requestId: string,
): Promise<void> {
  if (path === '/graphql' && answerCors(request, response, config.http.corsOrigins)) return
  if (graphiql?.handle(request, response)) return
  const asksDashboard = dashboard !== undefined && isDashboard(path)
  if (path === '/graphql' || asksDashboard) {
    const refused = bodyProblem(request, config.http.maxBodyBytes)
    if (refused) return refuseBody(request, response, refused)
    const address = callerAddress(request, config.http.proxyHops)
    if (asksDashboard) return dashboard.handle(request, response, { address, requestId })
    await graphql(request, response, {
      visitor: { requestId, address, authorization: request.headers.authorization, response },
    })
  } else if (path === '/' || path === '/graphql/') response.writeHead(302, { location: '/graphql' }).end()
  else sendNothingHere(response)
}

const sendNothingHere = (response: ServerResponse) =>
  sendProblem(
    response,
    404,
    'There is nothing here. GraphQL is at /graphql, queues at /queues, health at /healthz and /readyz, metrics at /metrics.',
  )

const sendMisdirected = (response: ServerResponse) =>
  sendProblem(response, 421, 'Nothing is served here under the name in the Host header.', {
    hint: 'Ask for localhost, or list the name in FRESHET_ALLOWED_HOSTS.',
  })

/** The path asked for, or nothing if what was sent makes no address. What follows sees path and query alone. */
function readTarget(request: IncomingMessage): string | undefined {
  const { url: target = '/', headers } = request
  const url = URL.parse(target.startsWith('/') ? `http://local${target}` : target)
  const { host = '' } = headers
  const isOne = (request.headersDistinct.host?.length ?? 0) <= 1 // RFC 9112 §3.2
  const isHost = host === '' || (/^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`))
  if (!url || !isOne || !isHost) return undefined
  request.url = url.pathname + url.search
  return url.pathname
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

/** What is not HTTP, or came too slowly: there is no request yet to answer. */
function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Socket & { _httpMessage?: ServerResponse | null },
): void {
  const { _httpMessage: answer } = socket
  // What comes behind a request at work must not be taken for its answer; one that never came whole has none to wait for.
  const isAnswering = answer && (answer.headersSent || error.code !== 'ERR_HTTP_REQUEST_TIMEOUT')
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  const body = problem(status, 'The request cannot be read.')
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${problemType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
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
