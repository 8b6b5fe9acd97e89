import type { RunKind, RunTrigger } from '../../db/generated/client/enums.ts'
import type { LockKey } from '../../db/run-lock.ts'
import type { Log } from '../../log.ts'

/** The classes of run locks, as registered in `sql/README.md`. */
export const runLockClass = { feed: 4620, stretch: 4621 }

/** The run that a job is for. */
export type RunRequest = {
  jobId: string
  kind: RunKind
  trigger: RunTrigger
  sourceId?: string | bigint | undefined
  lock: LockKey
}

/** Where and how runs are written. `directUrl` leads to Postgres itself, never to a pooler. */
export type RunServices = { directUrl: string; log: Log; now: () => Date }
