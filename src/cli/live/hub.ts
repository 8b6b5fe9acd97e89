import { listen } from '../../db/listen.ts'
import { startEventHub, type EventHub } from '../../domain/runs/event-hub.ts'
import { createLog, type Log } from '../../log.ts'
import { withDb, type Connected } from '../connect.ts'
import type { Context } from '../context.ts'

/** What a command that follows runs works with. */
export type Live = Connected & { hub: EventHub; log: Log; signal: AbortSignal; now: () => Date }

/** The catalogue, and events of runs as they happen. */
export async function withEvents<Result>(context: Context, work: (live: Live) => Promise<Result>): Promise<Result> {
  const { signal, now } = context
  return withDb(context, async (connected) => {
    const log = createLog({ level: 'silent' })
    await using listener = await listen(connected.directUrl, log)
    await using hub = await startEventHub({ listener, pool: connected.pool, log })
    return await work({ ...connected, hub, log, signal, now })
  })
}
