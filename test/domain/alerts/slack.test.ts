import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { postToSlack, SlackBusy, slackSeconds } from '../../../src/domain/alerts/slack.ts'
import { PermanentError } from '../../../src/domain/queue/job-error.ts'
import { ExpectedError } from '../../../src/expected-error.ts'
import { slackReplies, startSlack, webhookSecret } from '../../support/slack.ts'

const slack = await startSlack()
afterAll(() => slack[Symbol.asyncDispose]())
beforeEach(() => {
  for (const list of [slack.messages, slack.replies, slack.paths]) list.length = 0
})

const post = (url = slack.url, signal = new AbortController().signal, limit: { limitSeconds?: number } = {}) =>
  postToSlack({ url, message: { text: 'hello' }, signal, ...limit }).then(
    () => undefined,
    (error: unknown) => error as Error & { code?: string; hint?: string },
  )
/** All that could be logged or stored of an error. */
const seenOf = (error: Error | undefined) =>
  JSON.stringify([error?.message, error?.stack, error?.cause, error && Object.entries(error)])

test('a message is posted once, as JSON, to the address of the webhook', async () => {
  expect(await post()).toBeUndefined()
  expect([slack.paths, slack.messages]).toEqual([[`POST /services/${webhookSecret}`], [{ text: 'hello' }]])
})

test.each([
  ['invalid', 'SLACK_REFUSED', 'Slack answered 400 (invalid_payload). It does not take the message.'],
  [
    'forbidden',
    'SLACK_WEBHOOK_GONE',
    'Slack answered 403 (invalid_token). The webhook is gone, or its channel is closed to it.',
  ],
  [
    'gone',
    'SLACK_WEBHOOK_GONE',
    'Slack answered 404 (no_service). The webhook is gone, or its channel is closed to it.',
  ],
  [
    'archived',
    'SLACK_WEBHOOK_GONE',
    'Slack answered 410 (channel_is_archived). The webhook is gone, or its channel is closed to it.',
  ],
] as const)('no retry can help when Slack answers %s: it says what to do', async (name, code, message) => {
  slack.replies.push(slackReplies[name])
  const error = await post()
  expect(error).toBeInstanceOf(PermanentError)
  expect([error?.code, error?.message]).toEqual([code, message])
  expect(error?.hint).toMatch(/SLACK_WEBHOOK_URL/)
  expect(seenOf(error)).not.toContain('SECRET')
})

test('a 500 is tried again', async () => {
  slack.replies.push(slackReplies.broken)
  const error = await post()
  expect(error).toBeInstanceOf(ExpectedError)
  expect([error?.code, error?.message]).toEqual(['SLACK_UNAVAILABLE', 'Slack answered 500 (rollup_error).'])
})

test.each([
  ['30', 30],
  ['0', 1],
  ['99999999', 3600],
  ['Thu, 01 Jan 2026 00:01:30 GMT', 90],
  ['soon', 30],
  [undefined, 30],
])('a 429 with Retry-After %s waits %s s', async (value, seconds) => {
  const date = 'Thu, 01 Jan 2026 00:00:00 GMT'
  slack.replies.push({ status: 429, headers: value ? { date, 'retry-after': value } : {} })
  const error = await post()
  expect(error).toBeInstanceOf(SlackBusy)
  expect((error as SlackBusy).seconds).toBe(seconds)
})

test.each([301, 302, 307, 308])('a redirect (%s) is not followed', async (status) => {
  const other = await startSlack()
  slack.replies.push({ status, headers: { location: other.url } })
  const error = await post()
  expect([error?.code, other.messages]).toEqual(['SLACK_REDIRECTED', []])
  expect(seenOf(error)).not.toContain('SECRET')
  await other[Symbol.asyncDispose]()
})

test('what the other side says is repeated only if it is one word of Slack’s', async () => {
  slack.replies.push({ status: 400, body: `no such path /services/${webhookSecret}` })
  const error = await post()
  expect(error?.message).toBe('Slack answered 400. It does not take the message.')
  expect(seenOf(error)).not.toContain('SECRET')
})

test('a connection that is refused, or cut before an answer, is tried again and names no address', async () => {
  const closed = createServer()
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  await once(closed, 'close')
  const refused = await post(`http://127.0.0.1:${port}/services/${webhookSecret}`)
  slack.replies.push((response) => response.destroy())
  const cut = await post()
  expect([refused?.message, cut?.message]).toEqual([
    'Slack was not reached: ECONNREFUSED.',
    'Slack was not reached: UND_ERR_SOCKET.',
  ])
  expect(seenOf(refused) + seenOf(cut)).not.toContain('SECRET')
})

test('a job that is taken away gives the request up', async () => {
  const taken = new AbortController()
  slack.replies.push(() => taken.abort())
  const error = await post(slack.url, taken.signal)
  expect(error?.message).toBe('The message was given up before Slack answered.')
})

test('S2 §15.2: Slack has 10 s to answer; after that the request is given up and tried again', async () => {
  expect(slackSeconds).toBe(10)
  slack.replies.push(() => {})
  const error = await post(slack.url, undefined, { limitSeconds: 0.05 })
  expect([error?.code, error?.message]).toEqual(['SLACK_UNAVAILABLE', 'Slack did not answer within 0.05 s.'])
})

test('where nothing else is asked for, a request is given up after those 10 s', async () => {
  const limit = vi.spyOn(AbortSignal, 'timeout')
  await post()
  expect(limit.mock.calls).toEqual([[10_000]])
  limit.mockRestore()
})
