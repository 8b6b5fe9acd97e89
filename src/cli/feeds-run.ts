import { InvalidArgumentError, type Command } from 'commander'
import type { RequestState } from '../domain/feeds/feed-request.ts'
import { encodeId } from '../domain/global-id.ts'
import { CommandError } from './error.ts'
import type { Context, Run } from './context.ts'
import type { Live } from './live/hub.ts'
import { print } from './print.ts'
import { parseRowId } from './row-id.ts'

const help = `
The feed must be ENABLED. However often it is asked while a run is at work, one follow-up happens.

Examples:
  freshet feeds run 7                    asks for a run; a worker does it
  freshet feeds run 7 --watch            follows it to its end
  freshet feeds run 7 --force --watch    processes the file although it did not change
  freshet feeds run 7 --watch --json     one object a line

Exit codes with --watch: 0 it succeeded; 1 it failed, or was blocked and waits for a decision.`

type Options = { force?: boolean; watch?: boolean; workerWithin: number }

/** `freshet feeds run`: asks for a run, as runFeed does, and follows it if that is wanted. */
export function addFeedsRun(feeds: Command, run: Run): void {
  feeds
    .command('run')
    .description('ask for a run of a feed now')
    .argument('<id>', 'the number of the feed, or its global id')
    .option('--force', 'process the file although it did not change')
    .option('--watch', 'follow the run to its end')
    .option('--worker-within <seconds>', 'how long to wait where no worker is running', wholeSeconds, 60)
    .addHelpText('after', help)
    .action(
      run(async (context, which: string, options: Options) => {
        const id = parseRowId(which, 'Feed')
        const { withEvents } = await import('./live/hub.ts')
        await withEvents(context, async (live) => runAndTell(context, live, id, options))
      }),
    )
}

export function wholeSeconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Give a number of seconds.')
  return Number(text)
}

async function runAndTell(
  context: Context,
  live: Live,
  id: bigint,
  { force = false, watch = false, workerWithin }: Options,
) {
  const { askForRun } = await import('../domain/feeds/run-feed.ts')
  const { hasWorker } = await import('../domain/queue/worker.ts')
  const request = await askForRun(live, live.actor, id, force)
  if (!watch) {
    const isThere = await hasWorker(live.pool)
    const text = `A run of feed ${id} is asked for: request ${request}.${isThere ? '' : ' It begins when a worker runs: none does.'}`
    return print(context, text, { feedId: encodeId('Feed', id), request, hasWorker: isThere })
  }
  const { openView } = await import('./live/view.ts')
  const view = openView(context)
  const runId = await awaitRequest(live, id, request, workerWithin, view.note)
  if (!context.json) view.note(`Run ${runId} of feed ${id}`)
  const { followRun } = await import('./live/watch.ts')
  await followRun(live, runId, view)
  const { tellEnd } = await import('./live/end.ts')
  return tellEnd(context, live, runId)
}

/** Waits for the run that covers a request. What it waits for is said once, and anew where that changes. */
async function awaitRequest(live: Live, id: bigint, request: number, seconds: number, tell: (text: string) => void) {
  const { awaitBegin } = await import('../domain/runs/await-begin.ts')
  const { readFeedRequest } = await import('../domain/feeds/feed-request.ts')
  const { patience } = await import('./live/patience.ts')
  const waiting = patience(live, seconds, tell)
  let said: string | undefined
  const look = async () => {
    const state = await readFeedRequest(live.pool, id, request)
    if (state.runId === undefined) await waiting.look()
    return state
  }
  return awaitBegin(live, look, (state) => {
    const text = explain(state, id)
    if (text !== undefined && text !== said) tell(text)
    said = text
  })
}

function explain({ status, runBefore, isQueued }: RequestState, id: bigint): string | undefined {
  if (runBefore !== undefined) return `Run ${runBefore} is at work: the one asked for comes after it.`
  if (status !== 'ENABLED')
    throw new CommandError('FEED_NOT_ENABLED', `Feed ${id} is ${status ?? 'gone'}: it does not run any more.`)
  if (isQueued) return undefined
  const hint = 'Somebody cancelled its job, or it failed before a run began: see /queues, then ask again.'
  throw new CommandError('RUN_NOT_BEGUN', 'Nobody is about to do the run that was asked for.', { hint })
}
