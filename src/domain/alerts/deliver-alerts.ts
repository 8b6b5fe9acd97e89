import { queryRows, type InTx, type Sql } from '../../db/sql.ts'
import type { Log } from '../../log.ts'
import { SnoozeJob } from '../queue/job-error.ts'
import { slackMessage, type WaitingAlert } from './slack-message.ts'
import { postToSlack, SlackBusy } from './slack.ts'

type Delivery = {
  sql: Sql
  jobId: string
  webhookUrl: string | undefined
  signal: AbortSignal
  log: Log
}
type Claim = {
  outcome: 'DELIVER' | 'WAIT' | 'SERVED' | 'NOTHING' | 'ELSEWHERE'
  waitSeconds: number
  alerts: WaitingAlert[]
}

const nowhere = 'SLACK_WEBHOOK_URL is not set: alerts are shown in the API only.'
const elsewhere =
  'SLACK_WEBHOOK_URL is not set here, but another worker delivered lately: what waits is left to it. Give all workers the same address.'
const elsewhereSeconds = 30

/**
 * Delivers every alert that waits, in one message; what was raised meanwhile goes into another, a second later. Two jobs
 * never deliver at once: see `freshet.claim_alerts`. A worker that dies between sending and noting it sends once more.
 * The time is the database's, as in all that the queue decides: workers whose clocks differ take their turns all the same.
 */
export async function deliverAlerts({ sql, jobId, webhookUrl, signal, log }: Delivery): Promise<object> {
  let delivered = 0
  for (;;) {
    const { outcome, waitSeconds, alerts } = await claim(sql, jobId, webhookUrl !== undefined)
    if (outcome === 'SERVED') return { delivered, reason: 'Another job delivers what waits.' }
    if (outcome === 'NOTHING') return webhookUrl ? { delivered } : { delivered, reason: nowhere }
    if (outcome === 'WAIT') throw new SnoozeJob(waitSeconds, 'Slack takes one message a second.')
    if (outcome === 'ELSEWHERE') throw new SnoozeJob(elsewhereSeconds, elsewhere)
    if (webhookUrl) await send(webhookUrl, alerts)
    else log.info({ alerts: alerts.length }, nowhere)
    await settle(sql, alerts, webhookUrl !== undefined)
    if (webhookUrl) delivered += alerts.length
  }

  async function send(url: string, alerts: WaitingAlert[]) {
    try {
      await postToSlack({ url, message: slackMessage(alerts), signal })
      log.info({ alerts: alerts.length }, 'alerts were delivered to Slack')
    } catch (error) {
      if (!(error instanceof SlackBusy)) throw error
      await queryRows(sql, putOffText, [error.seconds])
      throw new SnoozeJob(error.seconds, error.message)
    }
  }
}

/** Notes that a job gave up, in the transaction that ends it: what waits says why, and goes with the next message. */
export async function failDelivery(tx: InTx, jobId: string, error: string): Promise<void> {
  await queryRows(tx, 'select freshet.fail_alert_delivery($1::uuid, $2)', [jobId, error])
}

const claimText =
  'select outcome, wait_seconds as "waitSeconds", alerts from freshet.claim_alerts($1::uuid, p_has_receiver => $2)'
const putOffText = 'select freshet.put_off_alerts(make_interval(secs => $1))::text'
const settleText = 'select freshet.settle_alerts($1::bigint[], $2)'

async function claim(sql: Sql, jobId: string, hasReceiver: boolean): Promise<Claim> {
  const [row] = await queryRows<Claim>(sql, claimText, [jobId, hasReceiver])
  if (!row) throw new Error('claim_alerts answered nothing.')
  return row
}

async function settle(sql: Sql, alerts: WaitingAlert[], isDelivered: boolean): Promise<void> {
  const ids = alerts.flatMap(({ newsIds }) => newsIds)
  await queryRows(sql, settleText, [ids, isDelivered])
}
