import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { z } from 'zod'
import type { Pool } from '../../db/pool.ts'
import type { Db } from '../../db/prisma.ts'
import type { Actor } from '../../domain/access/actor.ts'
import type { Attempts } from '../../domain/access/attempts.ts'
import type { Log } from '../../log.ts'
import { DomainError } from '../../domain/errors.ts'
import { cancelJob, retryJob, deleteJob, recordSentJob } from '../../domain/queue/operate.ts'
import { checkKey } from '../authentication.ts'
import { sendProblem } from '../problem.ts'
import { encodeResult, readAction, type Action } from './action.ts'
import { sendPage } from './page.ts'
import { createPace, createTurns } from './turns.ts'

export const dashboardPath = '/queues'
const requestsPerMinute = 600
/** Each request asks the database a few things at once; two at a time keep its connections few. */
const atOnce = 2
const wrongKey = 'The key is unknown, revoked or expired.'
const notHere = `This is not done here: queues, schedules and their jobs come from the program. Go back to ${dashboardPath}.`

type Parts = {
  db: Db
  pool: Pool
  attempts: Attempts
  now: () => Date
  log: Log
  /** pg-boss's own pages, behind the door that this is. */
  answer: (request: Request) => Promise<Response>
}
type Visit = { address: string; requestId: string }
export type QueueDashboard = ReturnType<typeof createDashboard>

/** Whether a path belongs to the dashboard. */
export const isDashboard = (path: string): boolean =>
  path === dashboardPath || path === `${dashboardPath}.data` || path.startsWith(`${dashboardPath}/`)

/**
 * pg-boss's dashboard for those who hold an ADMIN key. A browser sends it as the password of HTTP Basic, with every request,
 * so a revoked key is refused at the next one. Because it does so for requests of other sites too, changes are taken only
 * from pages of this one. Retrying, cancelling and deleting go by our own rules; each change stands in the audit log.
 */
export function createDashboard({ db, pool, attempts, now, log, answer }: Parts) {
  const pace = createPace(requestsPerMinute, () => now().getTime())
  const inTurn = createTurns(atOnce)
  const pass = async (request: Request, response: ServerResponse) =>
    sendPage(await inTurn(() => answer(request)), response, dashboardPath)

  const act = async (action: Action, actor: Actor) => {
    if (action.kind === 'retry') await retryJob(db, actor, { queue: action.queue, id: action.jobId })
    else if (action.kind === 'cancel')
      await cancelJob(db, actor, { queue: action.queue, id: action.jobId }, { now, log })
    else if (action.kind === 'delete')
      await deleteJob(db, actor, { queue: action.queue, id: action.jobId }, { now, log })
    else await recordSentJob(db, actor, action.queue)
  }

  const change = async (request: IncomingMessage, response: ServerResponse, actor: Actor) => {
    const url = urlOf(request)
    if (!isOwnPage(request, url)) return sendProblem(response, 403, 'Changes are taken from pages of this server only.')
    if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
      return sendProblem(response, 415, 'The dashboard sends forms.')
    const body = await readText(request)
    const action = readAction(url.pathname.slice(dashboardPath.length), new URLSearchParams(body))
    if (!action) return sendResult(response, url, 403, notHere)
    try {
      await act(action, actor)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return sendResult(response, url, 409, `${error.message} ${error.hint ?? ''}`.trim())
    }
    if (action.kind === 'retry') return sendResult(response, url, 200, 'A new job was made')
    if (action.kind === 'cancel') return sendResult(response, url, 200, 'The job was cancelled')
    if (action.kind === 'delete') {
      url.pathname = url.pathname.replace(/\/jobs\/[\da-f-]+$/i, '') // its own page is gone
      return sendResult(response, url, 200, 'The job was deleted')
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: url.origin }
    return pass(new Request(url, { method: 'POST', headers, body }), response)
  }

  return {
    async handle(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead && request.method !== 'POST')
        return sendProblem(response, 405, 'Pages are read, and forms are posted.')
      const key = passwordOf(request.headers.authorization)
      if (key === undefined) return askForKey(response, 'Use an ADMIN key as the password; the name may be anything.')
      const { waitSeconds, found } = await checkKey({ pool, attempts, now }, key, visit)
      if (waitSeconds > 0) return refuseForNow(response, waitSeconds, 'Too many wrong keys came from here.')
      if (!found) return askForKey(response, key === '' ? 'Put the key into the password, not the name.' : wrongKey)
      if (!found.actor.scopes.has('ADMIN')) return sendProblem(response, 403, 'This needs a key with the scope ADMIN.')
      const seconds = pace(String(found.actor.keyId))
      if (seconds > 0) return refuseForNow(response, seconds, 'Too many requests came with this key.')
      if (!isRead) return change(request, response, found.actor)
      const url = urlOf(request)
      if (url.pathname === `${dashboardPath}/assets/no-fonts.css`)
        return void response.writeHead(200, { 'content-type': 'text/css', 'cache-control': 'max-age=86400' }).end()
      if (namesNoJob(url.pathname)) return sendProblem(response, 404, 'This is not the id of a job.')
      const headers = { accept: request.headers.accept ?? '*/*' }
      return pass(new Request(url, { method: request.method ?? 'GET', headers }), response)
    },
  }
}

function passwordOf(authorization: string | undefined): string | undefined {
  const [, credentials] = /^Basic +([\w+/=-]{1,1000})$/i.exec(authorization?.trim() ?? '') ?? []
  if (credentials === undefined) return undefined
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  return decoded.slice(decoded.indexOf(':') + 1)
}

const urlOf = ({ url, headers: { host = 'localhost' } }: IncomingMessage) => new URL(url ?? '/', `http://${host}`)

/** The page of a job whose id cannot be one: pg-boss's pages would answer with a fault. */
function namesNoJob(path: string): boolean {
  const [, id] = /\/jobs\/([^/]+?)(?:\.data)?$/.exec(path) ?? []
  return id !== undefined && !z.guid().safeParse(id).success
}

/** A browser says where a form comes from and no page can make it lie; a proxy may have changed the host, hence the second. */
function isOwnPage({ headers }: IncomingMessage, { host }: URL): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && URL.parse(headers.origin)?.host === host
}

function askForKey(response: ServerResponse, detail: string): void {
  response.setHeader('www-authenticate', 'Basic realm="Freshet queues", charset="UTF-8"')
  sendProblem(response, 401, detail)
}

function refuseForNow(response: ServerResponse, seconds: number, detail: string): void {
  response.setHeader('retry-after', String(seconds))
  sendProblem(response, 429, `${detail} Try again in ${seconds} s.`)
}

/** To a script of the page its result; to a form that was sent without one, the page again. */
function sendResult(response: ServerResponse, url: URL, status: 200 | 403 | 409, message: string): void {
  const headers = { 'cache-control': 'no-store', 'content-type': 'text/x-script', 'x-remix-response': 'yes' }
  const isDone = status === 200
  if (url.pathname.endsWith('.data')) response.writeHead(status, headers).end(encodeResult(isDone, message))
  else if (isDone) response.writeHead(303, { location: url.pathname }).end()
  else sendProblem(response, status, message)
}
