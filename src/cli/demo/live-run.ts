import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { connectPool, endPool } from '../../db/pool.ts'
import { queryRows } from '../../db/sql.ts'
import { CancelJob } from '../../domain/queue/job-error.ts'
import type { RunContext } from '../../domain/runs/context.ts'
import { executeRun } from '../../domain/runs/execute-run.ts'
import { runLockClass, type RunRequest } from '../../domain/runs/run.ts'
import { createLog } from '../../log.ts'

type Pace = { stepMs: number; pauseMs: number }

const stages = ['DOWNLOAD', 'PARSE', 'STAGE', 'EVALUATE', 'PROMOTE']
const stepsAStage = 15
const source = 'Alpine via Awin'
/** No feed has the number 0. Two demos on one database take turns under this lock. */
const lock = { lockClass: runLockClass.feed, lockId: 0 }

/**
 * Plays the run of a feed over and over, by the same protocol as real runs, so that there is always one to watch live. Nothing
 * is fetched and no offer is written. Ends when the demo does; the run of that moment is cancelled, saying so.
 */
export async function playRuns(directUrl: string, signal: AbortSignal, pace: Partial<Pace> = {}): Promise<void> {
  const { stepMs = 300, pauseMs = 5_000 } = pace
  const log = createLog({ level: 'silent' }) // the database may stop first, and nobody needs to hear of that
  const pool = connectPool(directUrl, { size: 1, log })
  // Stopping the demo cancels the work, which has to say so: it neither cuts the connection nor hands a job back.
  const { signal: never } = new AbortController()
  const job = { pool, directUrl, log, now: () => new Date(), isLastAttempt: true, signal: never, stopping: never }
  try {
    const [found] = await queryRows<{ id: string }>(pool, 'select id from freshet.sources where name = $1', [source])
    while (!signal.aborted) {
      const run: RunRequest = { jobId: randomUUID(), kind: 'FEED', trigger: 'SCHEDULED', sourceId: found?.id, lock }
      await executeRun(run, job, (context) => play(context, stepMs, signal))
      await wait(pauseMs, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await endPool(pool)
  }
}

async function play(run: RunContext, stepMs: number, signal: AbortSignal): Promise<void> {
  for (const stage of stages) {
    await run.stage(stage)
    for (let step = 1; step <= stepsAStage; step++) {
      await wait(stepMs, undefined, { signal }).catch(stopped)
      await run.progress(countersOf(stage, step))
    }
  }
  await run.sampleError({ code: 'PRICE_MISSING', message: 'There is no price.', line: 42, item: 'SKU-42' })
}

function stopped(): never {
  throw new CancelJob('The demo was stopped.')
}

const countersOf = (stage: string, step: number): Record<string, number> =>
  stage === 'DOWNLOAD' ? { bytes: 65_536 * step } : stage === 'PARSE' ? { rows: 500 + step } : { offers: 100 }
