import { watchRun } from '../../domain/runs/event-stream.ts'
import { paceOf } from '../../domain/runs/pace.ts'
import type { Live } from './hub.ts'
import type { View } from './view.ts'

/**
 * Shows a run from its first event to its last. Nothing is asked again and again: each event comes when it happens. The event
 * that ends a stage carries the counters that it ended with, so a stage too short for progress still shows its figures.
 */
export async function followRun({ hub, pool, db, now, signal }: Live, runId: bigint, view: View): Promise<void> {
  let stage: { name: string; at: Date } | undefined
  for await (const message of watchRun({ hub, pool, db, now, signal }, { id: runId }, 0)) {
    if (message.type !== 'RunEvent') continue
    const { kind, at, counters } = message
    if (stage && kind === 'PROGRESS') view.event(message, paceOf(message, stage.at))
    else {
      if (stage && kind !== 'RESTARTED')
        view.stageEnd(stage.name, paceOf({ stage: stage.name, counters, at }, stage.at))
      view.event(message, null)
      stage = kind === 'STAGE' && message.stage !== null ? { name: message.stage, at } : undefined
    }
  }
  signal.throwIfAborted()
}
