import { joinUntil, type EventHub } from './event-hub.ts'

type Begin = { runId: bigint | undefined }

/** How often to look: the beginning of a run is announced, but not that a job was put off, or that there is no run for it. */
const lookMs = 2_000

/**
 * Waits until the run has begun that somebody asked for, and answers its id. `look` reads how things stand; `onWait` hears of it
 * each time there is no run yet, and throws where there will be none.
 */
export async function awaitBegin<State extends Begin>(
  { hub, signal }: { hub: EventHub; signal: AbortSignal },
  look: () => Promise<State>,
  onWait: (state: State) => void,
): Promise<bigint> {
  for (;;) {
    signal.throwIfAborted()
    // Joined before it is looked: what that does not know yet will come this way.
    using queue = joinUntil(signal, hub, ({ kind }) => kind === 'STARTED' || kind === 'RESTARTED')
    const state = await look()
    if (state.runId !== undefined) return state.runId
    onWait(state)
    await queue.take(lookMs)
  }
}
