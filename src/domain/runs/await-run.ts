import { currentDeadline } from '../../db/deadline.ts'
import type { RunStatus } from '../../db/generated/client/enums.ts'
import type { Pool } from '../../db/pool.ts'
import { findJob, type JobState } from '../queue/job.ts'
import type { JobPlace } from '../queue/operate.ts'
import { joinUntil, type EventHub } from './event-hub.ts'
import { isEnd, type PlacedEvent } from './event.ts'
import { findRunOfJob } from './find-run.ts'

/** How far a job has come; nothing where it has no run, or is not there any more. */
export type JobProgress = {
  jobState: JobState | undefined
  run: { id: bigint; status: RunStatus } | undefined
}

type Parts = { hub: EventHub; pool: Pool; now: () => Date }

/** How often to look whether a job ended that has no run: nobody announces that. */
const lookMs = 500
/** What a request needs after the wait, to read what it answers. */
const spareMs = 1_000

/**
 * Waits until the run of a job has ended, or the job without one, but no longer than so many milliseconds, nor than the request
 * at work has; answers how far it has come by then. A run that is there is not asked for again: its events tell of its end.
 */
export async function awaitRun({ hub, pool, now }: Parts, place: JobPlace, ms: number): Promise<JobProgress> {
  const { signal, endsAt } = currentDeadline() ?? { signal: new AbortController().signal, endsAt: Infinity }
  const until = Math.min(performance.now() + ms, endsAt - spareMs)
  let runId: bigint | undefined
  for (;;) {
    signal.throwIfAborted()
    // Joined before the state is read: what that does not know yet will come this way.
    using queue = joinUntil(signal, hub, newsOf(runId))
    const progress = await readProgress(pool, place, now())
    const leftMs = until - performance.now()
    if (hasEnded(progress) || leftMs <= 0 || hub.isStopped) return progress
    const isNew = progress.run?.id !== runId
    runId = progress.run?.id
    if (!isNew) await queue.take(runId === undefined ? Math.min(leftMs, lookMs) : leftMs)
  }
}

/** The end of the run; before it is known, that any begins. */
const newsOf = (runId: bigint | undefined) => (event: PlacedEvent) =>
  runId === undefined ? event.kind === 'STARTED' : event.runId === runId && isEnd(event)

const alive: (JobState | undefined)[] = ['WAITING', 'DELAYED', 'ACTIVE']

const hasEnded = ({ jobState, run }: JobProgress) => (run ? run.status !== 'RUNNING' : !alive.includes(jobState))

/** The job first: one that has ended has its run by then, if it ever had one. */
async function readProgress(pool: Pool, { queue, id }: JobPlace, now: Date): Promise<JobProgress> {
  const job = await findJob(pool, queue, id, now)
  const run = await findRunOfJob(pool, id)
  return { jobState: job?.state, run: run && { id: BigInt(run.runId), status: run.status } }
}
