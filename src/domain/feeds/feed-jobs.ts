import { z } from 'zod'
import type { JobType } from '../queue/enqueue.ts'

const id = z.string().regex(/^\d{1,18}$/)
/** Who asked, for what the worker records of it. */
const asked = { feedId: id, by: z.string(), keyId: id.nullable(), requestId: z.string() }

const Decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('APPROVE'), runId: id, expected: z.number().int().nullable(), ...asked }),
  z.object({ kind: z.literal('REJECT'), runId: id, reason: z.string(), ...asked }),
  z.object({ kind: z.literal('ACCEPT_PRICE'), offerId: id, ...asked }),
])
export type Decision = z.output<typeof Decision>

/** An operator's decision about what a feed's run saw. A worker carries it out, under the feed's lock. */
export const feedDecide: JobType<Decision> = { name: 'feed-decide', payload: Decision }

const TestInput = z.object({
  /** Its credential is bound to `feed:test-<id>:v1` (`secretContext`). */
  id: z.uuid(),
  secretCiphertext: z.base64().nullable(),
  secretKeyId: z.string().nullable(),
  /** The settings in clear, as `FeedTestSettings` reads them, without credential. */
  settings: z.record(z.string(), z.unknown()),
})
const Test = z.union([z.object({ feedId: id }), z.object({ input: TestInput })])
export type Test = z.output<typeof Test>

/** A test of a feed, or of settings that nobody stored. It counts in nothing. */
export const feedTest: JobType<Test> = { name: 'feed-test', payload: Test }
