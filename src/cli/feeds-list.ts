import type { Command } from 'commander'
import { readFeedTimes } from '../domain/feeds/feed-times.ts'
import { encodeId } from '../domain/global-id.ts'
import type { Connected } from './connect.ts'
import type { Run } from './context.ts'
import { saySeconds } from './live/words.ts'
import { alignRows, print } from './print.ts'

const help = `
Examples:
  freshet feeds list
  freshet feeds list --json | jq '.feeds[] | select(.lastRunStatus == "FAILED") | .name'`

const header = ['ID', 'NETWORK', 'STATUS', 'LAST RUN', 'ENDED', 'SCHEDULE', 'NEXT RUN', 'NAME']

/** `freshet feeds list`: every feed, with the columns of S2 §12.2. */
export function addFeedsList(feeds: Command, run: Run): void {
  feeds
    .command('list')
    .description('list all feeds: how they stand, their last run, their schedule')
    .addHelpText('after', help)
    .action(
      run(async (context) => {
        const { withDb } = await import('./connect.ts')
        await withDb(context, async (connected) => {
          const now = context.now()
          const shown = await readFeeds(connected)
          // The database's clock may be ahead of ours, and a run may have ended since the command began.
          const span = (from: Date, to: Date) => saySeconds(Math.max(0, to.getTime() - from.getTime()) / 1000)
          const ago = (at: Date | null) => (at ? `${span(at, now)} ago` : 'never')
          const until = (at: Date | null) => (at ? `in ${span(now, at)}` : '-')
          const rows = shown.map((feed) => [
            feed.number,
            feed.network ?? '-',
            feed.status,
            ago(feed.lastRunAt),
            endOf(feed),
            feed.schedule ?? 'by hand',
            until(feed.nextRunAt),
            feed.name,
          ])
          const text = rows.length > 0 ? alignRows([header, ...rows]) : 'There is no feed yet: see docs/feeds.md.'
          print(context, text, { feeds: shown })
        })
      }),
    )
}

type Shown = Awaited<ReturnType<typeof readFeeds>>[number]

function endOf({ lastRunStatus, lastRunErrorCode, lastRunBlocked, lastRunSkippedReason }: Shown): string {
  if (lastRunBlocked) return 'BLOCKED'
  if (lastRunSkippedReason) return lastRunSkippedReason
  return lastRunErrorCode ?? lastRunStatus ?? '-'
}

async function readFeeds({ db, pool }: Connected) {
  const found = await db.feed.findMany({ include: { source: true }, orderBy: { id: 'asc' } })
  const times = await readFeedTimes(pool, found.map(({ id }) => id)) // prettier-ignore
  const runIds = times.flatMap((time) => ('lastRunId' in time && time.lastRunId !== null ? time.lastRunId : []))
  const runs = await db.run.findMany({ where: { id: { in: runIds } }, include: { feedRun: true } })
  const runOf = new Map(runs.map((run) => [run.feedRun?.feedId, run]))
  return found.map(({ id, source, status, statusReason, lastRunAt }, index) => {
    const time = times[index]
    if (time === undefined || time instanceof Error) throw time ?? new Error(`feed ${id} has no times`)
    const { scheduleFrequencyHours: hours, scheduleCron: cron, timeZone, nextRunAt } = time
    const last = runOf.get(id)
    return {
      id: encodeId('Feed', id),
      number: String(id),
      name: source.name,
      network: source.affiliateNetwork,
      status,
      statusReason,
      lastRunAt,
      lastRunId: last ? encodeId('FeedRun', last.id) : null,
      lastRunStatus: last?.status ?? null,
      lastRunErrorCode: last?.errorCode ?? null,
      lastRunBlocked: last?.feedRun?.isBlocked ?? false,
      lastRunSkippedReason: last?.feedRun?.skippedReason ?? null,
      schedule: hours !== null ? `every ${hours} h` : cron !== null ? `${cron} ${timeZone}` : null,
      nextRunAt,
    }
  })
}
