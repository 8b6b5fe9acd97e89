import { z } from 'zod'
import { decide } from '../domain/feeds/decide.ts'
import { addLogFields } from '../log.ts'
import { defineJob } from './kit.ts'

const id = z.string().regex(/^\d{1,18}$/)
const feedId = z.string().regex(/^\d{1,10}$/)

/** Carries out what an operator decided about a feed; the mutation that asked for it waits a while (RULINGS 21). */
export const feedDecide = defineJob({
  name: 'feed-decide',
  payload: z.object({
    decision: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('APPROVE'), feedId, runId: id, expected: z.number().int().nullable() }),
      z.object({ kind: z.literal('REJECT'), feedId, runId: id, reason: z.string() }),
      z.object({ kind: z.literal('ACCEPT_PRICE'), feedId, offerId: id }),
    ]),
    by: z.object({ keyId: id.nullable(), name: z.string(), requestId: z.string() }),
  }),
  options: { retryDelays: [1, 5], expireInSeconds: 900, concurrency: 2 },
  work({ payload: { decision, by }, jobId, attempt, log, services: { directUrl, now } }) {
    addLogFields({ feedId: decision.feedId })
    const actor = { ...by, keyId: by.keyId === null ? null : BigInt(by.keyId), scopes: new Set<never>() }
    return decide(decision, actor, { directUrl, jobId, isRepeated: attempt > 1, now, log })
  },
})
