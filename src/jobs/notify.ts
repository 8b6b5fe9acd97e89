import { z } from 'zod'
import { deliverAlerts, failDelivery } from '../domain/alerts/deliver-alerts.ts'
import { defineJob } from './kit.ts'

/** Delivers the alerts that wait to Slack. Its failures are its own: no run fails or waits because of them (S2 §15.2). */
export const notify = defineJob({
  name: 'notify',
  payload: z.object({}),
  options: { retryDelays: [5, 15, 60, 300, 300], expireInSeconds: 60 },
  work: ({ jobId, signal, log, services: { pool, config, now } }) =>
    deliverAlerts({ sql: pool, jobId, webhookUrl: config.outside.slackWebhookUrl, now, signal, log }),
  onFinalFailure: ({ tx, jobId, error, services }) => failDelivery(tx, jobId, error.message, services.now()),
})
