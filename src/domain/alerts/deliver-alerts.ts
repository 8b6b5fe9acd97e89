import { queryRows, type InTx, type Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { SnoozeJob } from '../queue/outcome.ts'
import { slackMessage, type WaitingAlert } from './slack-message.ts'
import { postToSlack, SlackBusy } from './slack.ts'

type Delivery = {
  sql: Sql
  jobId: string
  webhookUrl: string | undefined
  now: () => Date
  signal: AbortSignal
  log: Log
}
type Claim = { outcome: 'DELIVER' | 'WAIT' | 'SERVED' | 'NOTHING'; waitSeconds: number; alerts: WaitingAlert[] }

const nowhere = 'SLACK_WEBHOOK_URL is not set: alerts are shown in the API only.'

/**
 * Delivers every alert that waits, in one message; what was raised meanwhile goes into another, a second later. Two jobs
 * never deliver at once: see `freshet.claim_alerts`. A worker that dies between sending and noting it sends once more.
 */
export async function deliverAlerts({ sql, jobId, webhookUrl, now, signal, log }: Delivery): Promise<object> {
  let delivered = 0
  for (;;) {
    const { outcome, waitSeconds, alerts } = await claim(sql, jobId, now())
    if (outcome === 'SERVED') return { delivered, reason: 'Another job delivers what waits.' }
    if (outcome === 'NOTHING') return webhookUrl ? { delivered } : { delivered, reason: nowhere }
    if (outcome === 'WAIT') throw new SnoozeJob(waitSeconds, 'Slack takes one message a second.')
    if (webhookUrl) await send(webhookUrl, alerts)
    else log.info({ alerts: alerts.length }, nowhere)
    await settle(sql, alerts, webhookUrl ? now() : null)
    if (webhookUrl) delivered += alerts.length
  }

  async function send(url: string, alerts: WaitingAlert[]) {
    try {
      await postToSlack({ url, message: slackMessage(alerts), signal, now: now() })
      log.info({ alerts: alerts.length }, 'alerts were delivered to Slack')
    } catch (error) {
      if (!(error instanceof SlackBusy)) throw error
      const until = new Date(now().getTime() + error.seconds * 1000)
      await queryRows(sql, 'select freshet.put_off_alerts($1)::text', [until])
      throw new SnoozeJob(error.seconds, error.message)
    }
  }
}

/** Notes that a job gave up, in the transaction that ends it: what waits says why, and goes with the next message. */
export async function failDelivery(tx: InTx, jobId: string, error: string, now: Date): Promise<void> {
  await queryRows(tx, 'select freshet.fail_alert_delivery($1::uuid, $2, $3)', [jobId, error, now])
}

const claimText =
  'select outcome, wait_seconds as "waitSeconds", alerts from freshet.claim_alerts($1::uuid, $2::timestamptz)'

async function claim(sql: Sql, jobId: string, now: Date): Promise<Claim> {
  const [row] = await queryRows<Claim>(sql, claimText, [jobId, now])
  if (!row) throw new Error('claim_alerts answered nothing.')
  return row
}

async function settle(sql: Sql, alerts: WaitingAlert[], deliveredAt: Date | null): Promise<void> {
  const ids = alerts.flatMap(({ newsIds }) => newsIds)
  await queryRows(sql, 'select freshet.settle_alerts($1::bigint[], $2::timestamptz)', [ids, deliveredAt])
}
