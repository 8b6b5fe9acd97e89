/** An alert that waits to be delivered, as `freshet.claim_alerts` hands it out. */
export type WaitingAlert = {
  id: string
  kind: string
  severity: 'P1' | 'P2' | 'P3'
  subject: string
  message: string
  timesRaised: number
  newsIds: string[]
  /** It was delivered before and has become more severe since. */
  isEscalated: boolean
}

/** How many alerts a message tells in full; the others of a burst are only counted. */
export const mostToldInFull = 10
// Together below the 40,000 characters that Slack takes, also when each of them has to be escaped.
const mostKindsCounted = 10
const longestKind = 60
const longestSubject = 100
const longestText = 500
const icons = { P1: ':red_circle:', P2: ':large_orange_circle:', P3: ':large_yellow_circle:' } as const

/** One message for all alerts that wait, most severe first, so that a burst of hundreds is still one message. */
export function slackMessage(alerts: WaitingAlert[]): { text: string; unfurl_links: false; unfurl_media: false } {
  const told = alerts.slice(0, mostToldInFull).map(tell)
  return {
    text: [...told, ...summarise(alerts.slice(mostToldInFull))].join('\n'),
    unfurl_links: false,
    unfurl_media: false,
  }
}

/** Slack reads three characters as its own: a text that holds them could address a channel or hide where a link goes. */
export const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function tell({ kind, severity, subject, message, timesRaised, isEscalated }: WaitingAlert): string {
  const remarks = [
    ...(isEscalated ? ['now more severe'] : []),
    ...(timesRaised > 1 ? [`raised ${timesRaised} times`] : []),
  ]
  const head = `${icons[severity]} *${severity} ${shorten(kind, longestKind)}* ${shorten(subject, longestSubject)}`
  return `${head}${remarks.length > 0 ? ` (${remarks.join(', ')})` : ''}\n${shorten(message, longestText)}`
}

function summarise(rest: WaitingAlert[]): string[] {
  if (rest.length === 0) return []
  const counts = new Map<string, number>()
  for (const { severity, kind } of rest) counts.set(`${severity} ${kind}`, (counts.get(`${severity} ${kind}`) ?? 0) + 1)
  const kinds = [...counts]
    .slice(0, mostKindsCounted)
    .map(([name, count]) => `${count} × ${shorten(name, longestKind)}`)
  const others = counts.size > mostKindsCounted ? [`${counts.size - mostKindsCounted} other kinds`] : []
  return [`and ${rest.length} more: ${[...kinds, ...others].join(', ')}. The query \`alerts\` lists all.`]
}

function shorten(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const isLong = line.length > most
  // What was cut may end in half a character.
  return escapeSlack(isLong ? `${line.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : line)
}
