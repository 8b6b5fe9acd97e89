import { z } from 'zod'
import { deliverAlerts, failDelivery } from '../domain/alerts/deliver-alerts.ts'
import { defineJob } from './kit.ts'

/** Delivers the alerts that wait to Slack. Its failures are its own: no run fails or waits because of them (S2 §15.2). */
export const notify = defineJob({
  name: 'notify',
  payload: z.object({}),
  options: { retryDelays: [5, 15, 60, 300, 300], expireInSeconds: 60 },
  work: ({ jobId, signal, log, services: { pool, config } }) =>
    deliverAlerts({ sql: pool, jobId, webhookUrl: config.outside.slackWebhookUrl, signal, log }),
  onFinalFailure: ({ tx, jobId, error }) => failDelivery(tx, jobId, error.message),
})
