import type { Command } from 'commander'
import type { Run } from './context.ts'
import { print } from './print.ts'
import { parseRowId } from './row-id.ts'

const groupHelp = `
Examples:
  freshet offers rebuild`

const help = `
What consumers see is derived from the versions, prices and promotions that were written down. Anything but 0 means that
something was broken: report it.

Examples:
  freshet offers rebuild                 of all sources
  freshet offers rebuild --source 12     of one source, by its number or global id`

/** `freshet offers rebuild`: derives what consumers see from history. */
export function addOffers(program: Command, run: Run): void {
  program
    .command('offers')
    .description('look after what consumers see')
    .addHelpText('after', groupHelp)
    .command('rebuild')
    .description('derive what consumers see from history, and put right what differs')
    .option('--source <id>', 'only the offers of this source')
    .addHelpText('after', help)
    .action(
      run(async (context, { source }: { source?: string }) => {
        const sourceId = source === undefined ? undefined : parseRowId(source, 'Source')
        const { withDb } = await import('./connect.ts')
        const { rebuildOffers } = await import('../domain/catalogue/rebuild-offers.ts')
        await withDb(context, async ({ db, actor }) => {
          const { corrected } = await rebuildOffers(db, actor, sourceId, context.now())
          const text =
            corrected === 0 ? 'Every offer is as history says.' : `${corrected} offers were wrong and were put right.`
          print(context, text, { corrected })
        })
      }),
    )
}
