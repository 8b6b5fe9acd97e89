import type { Command } from 'commander'
import type { Run } from './context.ts'
import { addFeedsList } from './feeds-list.ts'
import { addFeedsRun } from './feeds-run.ts'
import { addFeedsTest } from './feeds-test.ts'

const help = `
Examples:
  freshet feeds list
  freshet feeds test 7
  freshet feeds run 7 --watch`

/** `freshet feeds`: what flows in. */
export function addFeeds(program: Command, run: Run): void {
  const feeds = program.command('feeds').description('list, try and run feeds').addHelpText('after', help)
  for (const add of [addFeedsList, addFeedsRun, addFeedsTest]) add(feeds, run)
}
