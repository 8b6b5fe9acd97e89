import { expect, test } from 'vitest'
import { mostToldInFull, slackMessage, type WaitingAlert } from '../../../src/domain/alerts/slack-message.ts'

const anAlert = (given: Partial<WaitingAlert> = {}): WaitingAlert => ({
  id: '1',
  kind: 'RUN_REAPED',
  severity: 'P2',
  subject: 'FEED run 7',
  message: 'It stopped without an end.',
  timesRaised: 1,
  newsIds: ['1'],
  isEscalated: false,
  ...given,
})

test('a message names severity, kind and subject, then what happened', () => {
  expect(slackMessage([anAlert()])).toEqual({
    text: ':large_orange_circle: *P2 RUN_REAPED* FEED run 7\nIt stopped without an end.',
    unfurl_links: false,
    unfurl_media: false,
  })
})

test('it says when an alert has become more severe, and how often it was raised', () => {
  const { text } = slackMessage([anAlert({ severity: 'P1', isEscalated: true, timesRaised: 4 })])
  expect(text.split('\n')[0]).toBe(':red_circle: *P1 RUN_REAPED* FEED run 7 (now more severe, raised 4 times)')
})

test("Slack's control characters are escaped, so that no text addresses a channel or hides a link", () => {
  const hostile = '<!channel> <https://evil.example|your bank> & more'
  const { text } = slackMessage([anAlert({ subject: hostile, message: hostile, kind: 'A<B' })])
  expect(text).not.toMatch(/[<>]/)
  expect(text.split('\n')[1]).toBe('&lt;!channel&gt; &lt;https://evil.example|your bank&gt; &amp; more')
})

test('line breaks do not let a text play another alert', () => {
  const { text } = slackMessage([anAlert({ message: 'one\n:red_circle: *P1 FAKE*\r\ntwo' })])
  expect(text.split('\n')).toHaveLength(2)
})

test('a text of 500 characters is told whole, one of 501 is cut, never in the middle of a character', () => {
  const line = (message: string) => slackMessage([anAlert({ message })]).text.split('\n')[1]!
  expect(line('x'.repeat(500))).toBe('x'.repeat(500))
  expect(line('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`)
  expect(line(`${'x'.repeat(498)}😀 and more`)).toBe(`${'x'.repeat(498)}…`)
})

test('10 alerts are told in full; the 11th and all others are counted by severity and kind', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => anAlert({ subject: `run ${index}` }))
  expect(mostToldInFull).toBe(10)
  expect(slackMessage(many(10)).text.split('\n')).toHaveLength(20)
  const alerts = [...many(498), anAlert({ severity: 'P3' }), anAlert({ severity: 'P3', kind: 'CLOCK_LATE' })]
  const lines = slackMessage(alerts).text.split('\n')
  expect(lines).toHaveLength(21)
  expect(lines[20]).toBe(
    'and 490 more: 488 × P2 RUN_REAPED, 1 × P3 RUN_REAPED, 1 × P3 CLOCK_LATE. The query `alerts` lists all.',
  )
})

test('1,000 alerts of 1,000 kinds with endless texts stay below the 40,000 characters that Slack takes', () => {
  const alerts = Array.from({ length: 1000 }, (_, index) =>
    anAlert({ kind: `${index}${'&'.repeat(9000)}`, subject: '&'.repeat(9000), message: '&'.repeat(9000) }),
  )
  expect(slackMessage(alerts).text.length).toBeLessThan(40_000)
})
