import type { RunKind as Kind } from '../db/generated/client/client.ts'
import { builder } from './builder.ts'
import { rowId, type GlobalId } from './global-id.ts'

/** The types that runs have in GraphQL. */
export const runTypes = {
  FeedRun: 'A run that takes in a file of an affiliate network.',
  ScrapeRun: 'A run that visits known pages of shops.',
  CrawlRun: 'A run that goes through a listing site: DISCOVERY, SWEEP or SNAPSHOT.',
  VerificationRun: 'A run that looks whether listings are still there.',
}
export type RunTypeName = keyof typeof runTypes

/** Every kind of run: what it does, and which type its runs have. */
const kinds = {
  FEED: { type: 'FeedRun', description: 'Takes in a file of an affiliate network.' },
  SCRAPE: { type: 'ScrapeRun', description: 'Visits known pages of shops.' },
  DISCOVERY: { type: 'CrawlRun', description: 'Looks for new listings of a listing site.' },
  SWEEP: { type: 'CrawlRun', description: 'Goes through all listings of a listing site.' },
  SNAPSHOT: { type: 'CrawlRun', description: 'Takes a whole catalogue at once.' },
  VERIFICATION: { type: 'VerificationRun', description: 'Looks whether listings are still there.' },
} as const satisfies Record<Kind, { type: RunTypeName; description: string }>

export const RunKind = builder.enumType('RunKind', { description: 'What a run does.', values: kinds })

export const typeOfRun = (kind: Kind): RunTypeName => kinds[kind].type

/** The run that a global id means: an id that names another type than the run has means none. */
export const whereRun = (run: GlobalId) => ({ id: rowId(run), kind: kindOf(run.typename) })

/** One kind is asked for as it is: only look-ups by equality are put together by Prisma. */
function kindOf(typename: string) {
  const wanted = (Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind].type === typename)
  return wanted.length === 1 ? wanted[0]! : { in: wanted }
}
