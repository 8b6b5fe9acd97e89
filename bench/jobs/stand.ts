import { z } from 'zod'
import { defineJob, type Services } from '../../src/jobs/kit.ts'
import type { Log } from '../../src/log.ts'

/** What each part of the bench works with. */
export type Stand = { services: Services; log: Log }

/** A queue whose jobs do nothing, unless told otherwise. */
export function trialJob(
  name: string,
  options: { batchSize?: number; concurrency?: number } = {},
  work: () => Promise<void> = async () => {},
) {
  const payload = z.object({ number: z.number() })
  return defineJob({ name, payload, options: { retryDelays: [5, 15], expireInSeconds: 60, ...options }, work })
}

/** The value below which this share of all lies. */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN
}

/** How long it takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
