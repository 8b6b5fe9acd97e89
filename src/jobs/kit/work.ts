import type { JobResult, PgBoss } from 'pg-boss'
import type { Claim, Handler } from './attempt.ts'

const pollSeconds = 2

/**
 * Fetches jobs of a queue and hands them to `handle` until `boss.offWork`. An idle worker is woken by NOTIFY; retries and what
 * was deferred are found by polling. A backlog drains without a pause: full batches follow each other at once, and a worker of
 * single jobs wakes itself after each.
 */
export async function workQueue(
  boss: PgBoss,
  { name, options, isDeadLetter = false }: Handler,
  handle: (claim: Claim) => Promise<JobResult>,
): Promise<void> {
  const { batchSize = 1, concurrency = 1, groupConcurrency } = options
  const common = {
    batchSize,
    includeMetadata: isDeadLetter,
    perJobResults: true,
    pollingIntervalSeconds: pollSeconds,
    notifyPollingIntervalSeconds: pollSeconds,
    ...(groupConcurrency === undefined ? {} : { localGroupConcurrency: groupConcurrency }),
  } as const
  if (batchSize > 1) {
    const batching = { ...common, burstWhenBatchFull: true, localConcurrency: concurrency }
    await boss.work(name, batching, (claims: Claim[]) => Promise.all(claims.map(handle)))
    return
  }
  for (let count = 0; count < concurrency; count++) {
    const worker: { id?: string } = {}
    worker.id = await boss.work(name, common, async (claims: Claim[]) => {
      try {
        return await Promise.all(claims.map(handle))
      } finally {
        if (worker.id) boss.notifyWorker(worker.id)
      }
    })
  }
}
