import { setTimeout as wait } from 'node:timers/promises'
import type { Ask } from './api.ts'
import { runFeed, slowSource, type Feed } from './feeds.ts'

/**
 * Runs the feed from the slow server over and over, so that there is always a run to watch live. Ends when the demo does; the
 * run of that moment goes back into the queue, as with any server that stops.
 */
export async function repeatRuns(ask: Ask, signal: AbortSignal, pauseMs = 5_000): Promise<void> {
  const text = 'query FindSlowFeed($q: String!) { feeds(first: 1, filter: { q: $q }) { nodes { id lastRun { id } } } }'
  while (!signal.aborted) {
    const { feeds } = await ask<{ feeds: { nodes: Feed[] } }>(text, { q: slowSource })
    const [feed] = feeds.nodes
    if (!feed) return // somebody deleted what the demo made
    await runFeed(ask, feed, signal)
    await wait(pauseMs, undefined, { signal })
  }
}
