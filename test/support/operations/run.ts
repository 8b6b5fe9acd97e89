import { encodeId } from '../../../src/schema/global-id.ts'
import { insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations } from './operation.ts'
import type { SourceFixture } from './source.ts'

const kinds = { FeedRun: 'FEED', ScrapeRun: 'SCRAPE', CrawlRun: 'SWEEP', VerificationRun: 'VERIFICATION' } as const

export type RunFixture = Record<keyof typeof kinds, string>

/** A failed run of each type, with an error. */
export const make: Make<SourceFixture, RunFixture> = async (pool, { mark, Source }) => {
  const now = new Date()
  const ids: Record<string, string> = {}
  for (const [type, kind] of Object.entries(kinds)) {
    const columns = {
      source_id: numberOf(Source),
      kind,
      trigger: 'MANUAL',
      status: 'FAILED',
      started_at: now,
      updated_at: now,
      finished_at: now,
      stage: mark,
      counters: { [mark]: 1 },
      error_code: mark,
      error_message: mark,
      error_hint: mark,
    }
    const id = await insertRow(pool, 'runs', columns)
    await insertRow(pool, 'run_errors', { run_id: id, at: now, code: mark, message: mark })
    await pool.query('insert into freshet.run_error_totals (run_id, code, total) values ($1, $2, 1)', [id, mark])
    ids[type] = encodeId(type, id)
  }
  return ids as RunFixture
}

export const operations: Operations<Mark & RunFixture> = {
  'Query.run': {
    scope: 'OPERATE',
    document: 'query ($id: ID!) { run(id: $id) { id errorMessage } }',
    variables: ({ CrawlRun }) => ({ id: CrawlRun }),
  },
  'Query.runs': { scope: 'OPERATE', document: '{ runs { totalCount nodes { id } edges { node { errorMessage } } } }' },
  'Subscription.runProgress': {
    scope: 'OPERATE',
    document:
      'subscription ($id: ID!) { runProgress(runId: $id) { __typename ... on RunState { run { errorMessage } } } }',
    variables: ({ FeedRun }) => ({ id: FeedRun }),
  },
  'Subscription.runEvents': {
    scope: 'OPERATE',
    document: 'subscription { runEvents { __typename ... on StreamStart { cursor } } }',
  },
}
