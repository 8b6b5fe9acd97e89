import { JobError, PermanentError } from '../queue/job-error.ts'

/** How long Slack may take to answer. */
export const slackSeconds = 10
const usualWaitSeconds = 30
const longestWaitSeconds = 3_600

/** Slack asked for time. */
export class SlackBusy extends Error {
  override name = 'SlackBusy'
  readonly seconds: number

  constructor(seconds: number) {
    super(`Slack asked to wait ${seconds} s.`)
    this.seconds = seconds
  }
}

type Post = { url: string; message: object; signal: AbortSignal; limitSeconds?: number }

/**
 * Posts a message to a webhook of Slack's. The address is the secret, so nothing that is thrown may hold it: neither the
 * address, nor an error of `fetch`, nor a text that the other side sent.
 */
export async function postToSlack({ url, message, signal, limitSeconds = slackSeconds }: Post): Promise<void> {
  const { status, headers, word } = await send(url, message, signal, limitSeconds)
  if (status >= 200 && status < 300) return
  const said = `Slack answered ${status}${word}.`
  if (status === 429) throw new SlackBusy(readRetryAfter(headers))
  if (status >= 500 || status === 408) throw unavailable(said)
  if (status >= 300 && status < 400)
    throw new PermanentError(`${said} A webhook does not redirect, so nothing was sent on.`, {
      code: 'SLACK_REDIRECTED',
    })
  if (status === 403 || status === 404 || status === 410)
    throw new PermanentError(`${said} The webhook is gone, or its channel is closed to it.`, {
      code: 'SLACK_WEBHOOK_GONE',
    })
  throw new PermanentError(`${said} It does not take the message.`, { code: 'SLACK_REFUSED' })
}

const unavailable = (message: string) => new JobError(message, { code: 'SLACK_UNAVAILABLE' })

type Answer = { status: number; headers: Headers; word: string }

async function send(url: string, message: object, signal: AbortSignal, limitSeconds: number): Promise<Answer> {
  const late = AbortSignal.timeout(limitSeconds * 1000)
  const asked = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    redirect: 'manual',
    signal: AbortSignal.any([signal, late]),
  })
  const answer = await asked.then(readAnswer).catch((error: unknown) => {
    if (late.aborted) return `Slack did not answer within ${limitSeconds} s.`
    return signal.aborted
      ? 'The message was given up before Slack answered.'
      : `Slack was not reached: ${codeOf(error)}.`
  })
  if (typeof answer === 'string') throw unavailable(answer)
  return answer
}

const readAnswer = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  word: await readWord(response),
})

/** Slack explains itself in one word, as `no_service`. Anything longer is not Slack's, and is not repeated. */
async function readWord(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const first = await reader?.read()
  void reader?.cancel().catch(() => {})
  const text = Buffer.from(first?.value ?? [])
    .toString('utf8')
    .trim()
  return /^[a-z_]{1,60}$/.test(text) && text !== 'ok' ? ` (${text})` : ''
}

/** The code of a failed connection, as ECONNREFUSED; its message may hold the address. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed'
}

/** Seconds, or a date by the other side's own clock (RFC 9110 §10.2.3), within reason. */
function readRetryAfter(headers: Headers): number {
  const value = headers.get('retry-after') ?? ''
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), longestWaitSeconds) : usualWaitSeconds
}
