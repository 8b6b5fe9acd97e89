import type { Command } from 'commander'
import { encodeId } from '../domain/global-id.ts'
import type { FeedTestResult } from '../domain/feeds/test-feed.ts'
import type { Context, Run } from './context.ts'
import { CommandError } from './error.ts'
import { wholeSeconds } from './feeds-run.ts'
import type { Live } from './live/hub.ts'
import { alignRows, print, visible } from './print.ts'
import { sayBytes } from './live/words.ts'
import { parseRowId } from './row-id.ts'

const help = `
A worker connects, reads the first 100 rows and shows what they would become. Nothing is changed, whatever the status of the feed.

Examples:
  freshet feeds test 7
  freshet feeds test 7 --json | jq .test.formatDetected

Exit codes: 0 rows were found that make offers; 1 there was none, or the file could not be read.`

/** `freshet feeds test`: tries a feed, as testFeed does. */
export function addFeedsTest(feeds: Command, run: Run): void {
  feeds
    .command('test')
    .description('try a feed on a worker; nothing is changed')
    .argument('<id>', 'the number of the feed, or its global id')
    .option('--worker-within <seconds>', 'how long to wait where no worker is running', wholeSeconds, 60)
    .addHelpText('after', help)
    .action(
      run(async (context, which: string, { workerWithin }: { workerWithin: number }) => {
        const id = parseRowId(which, 'Feed')
        const { withEvents } = await import('./live/hub.ts')
        await withEvents(context, async (live) => testAndTell(context, live, id, workerWithin))
      }),
    )
}

async function testAndTell(context: Context, live: Live, id: bigint, seconds: number): Promise<void> {
  const { askForTest } = await import('../domain/feeds/request-feed-test.ts')
  const { awaitRun } = await import('../domain/runs/await-run.ts')
  const { patience } = await import('./live/patience.ts')
  const place = await askForTest(live, live.actor, id)
  const waiting = patience(live, seconds, (text) => void (context.json || context.err.write(`${text}\n`)))
  for (;;) {
    live.signal.throwIfAborted()
    const { jobState, run } = await awaitRun(live, place, lookMs)
    if (run && run.status !== 'RUNNING') return tellTest(context, live, run.id)
    if (run) continue
    if (jobState === 'WAITING') await waiting.look()
    else if (jobState !== 'DELAYED' && jobState !== 'ACTIVE')
      throw new CommandError('RUN_NOT_BEGUN', 'The test ended before it began.', {
        hint: 'Its job in /queues says why.',
      })
  }
}

/** The end of the test is announced; this is how often it is looked whether anybody takes it. */
const lookMs = 2_000

async function tellTest(context: Context, { db }: Live, runId: bigint): Promise<void> {
  const run = await db.run.findUniqueOrThrow({ where: { id: runId }, include: { feedRun: true } })
  if (run.status === 'FAILED')
    throw new CommandError(run.errorCode ?? 'RUN_FAILED', `The test failed: ${run.errorMessage}`, {
      hint: run.errorHint ?? undefined,
    })
  const result = run.feedRun?.testResult as FeedTestResult | null
  if (!result) throw new CommandError('RUN_FAILED', 'The test left no result.')
  print(context, describe(result), { test: { runId: encodeId('FeedRun', runId), ...result } })
  if (!result.success)
    throw new CommandError('FEED_HAS_NO_ROWS', 'None of the first rows makes an offer.', {
      hint: 'Look at the columns found and the errors; columnMap reads a field from other columns.',
    })
}

function describe({ formatDetected: found, fileBytes, rowsDetected, sampleRows, errors, warnings }: FeedTestResult) {
  const { compression, encoding, delimiter, columns, unknownColumns } = found
  const facts = [
    ['File', `${sayBytes(fileBytes)}, ${compression}, ${encoding}, fields apart by ${JSON.stringify(delimiter)}`],
    ['Columns', Object.entries(columns).map(([field, column]) => `${field} = ${column}`).join(', ')], // prettier-ignore
    ['Unused', unknownColumns.join(', ') || '-'],
    ['Rows', `${rowsDetected} looked at, ${errors.length} of them with errors`],
  ]
  const samples = sampleRows.map(({ itemId, sku, price, currency, inStock, title }) => [
    itemId ?? sku ?? '-',
    `${price} ${currency}`,
    inStock ? 'in stock' : 'out of stock',
    title,
  ])
  const told = [...errors, ...warnings].map(
    (one) => `${one.code}${'line' in one && one.line ? ` in line ${one.line}` : ''}: ${visible(one.message)}`,
  )
  return [alignRows(facts), ...(samples.length > 0 ? ['', alignRows(samples)] : []), ...(told.length > 0 ? ['', ...told] : [])].join('\n') // prettier-ignore
}
