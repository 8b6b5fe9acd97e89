import { decide } from '../domain/feeds/decide.ts'
import { decisionJob } from '../domain/feeds/feed-jobs.ts'
import { addLogFields } from '../log.ts'
import { defineJob } from './kit.ts'

/** Carries out what an operator decided about a feed; the mutation that asked for it waits a while (RULINGS 21). */
export const feedDecide = defineJob({
  ...decisionJob,
  options: { retryDelays: [1, 5], expireInSeconds: 900, concurrency: 2 },
  work({ payload: { decision, by }, jobId, attempt, signal, log, services: { pool, directUrl, now } }) {
    addLogFields({ feedId: decision.feedId })
    const actor = { ...by, keyId: by.keyId === null ? null : BigInt(by.keyId), scopes: new Set<never>() }
    return decide(decision, actor, { pool, directUrl, jobId, isRepeated: attempt > 1, signal, now, log })
  },
})
