import type { RunKind, RunTrigger } from '../../db/generated/client/enums.ts'
import type { Pool } from '../../db/pool.ts'
import type { LockKey } from '../../db/run-lock.ts'
import type { InTx } from '../../db/sql.ts'
import type { Log } from '../../log.ts'

/** The classes of run locks, as registered in `sql/README.md`. */
export const runLockClass = { feed: 4620, stretch: 4621, test: 4623 }

/** What a run is, settled when it begins; it never changes. */
export type RunFacts = { kind: RunKind; trigger: RunTrigger; sourceId?: string | bigint | undefined }

/**
 * Settles under the run's lock, on its connection, what the run is. Throws CancelJob where none is needed any more, and there
 * will be none. A later attempt is asked too: its run stays what it is, and what it throws ends that run as an error of the
 * work would.
 */
export type Admit = (sql: InTx, jobId: string) => Promise<RunFacts>

/** The run that a job is for: known beforehand, or admitted once nobody else can be at work on the same thing. */
export type RunOfJob = {
  lock: LockKey
  /** How the log calls it that another run is at work, and this job not needed. */
  busyEvent?: 'SKIPPED_LOCK_BUSY' | 'MANUAL_RUN_DEFERRED'
} & (RunFacts | { admit: Admit })

export type RunRequest = { jobId: string } & RunOfJob

/** Where and how runs are written. `directUrl` leads to Postgres itself, never to a pooler. */
export type RunServices = { pool: Pool; directUrl: string; log: Log; now: () => Date }
