import { encodeId } from '../../../src/schema/global-id.ts'
import { aSource, insertRow } from '../rows.ts'
import { numberOf, type Make, type Mark, type Operations, type Table } from './operation.ts'
import type { RetailerFixture } from './retailer.ts'

/** A feed that runs, one of each other status, a source that has none, and a run that waits for a decision. */
export type FeedFixture = {
  Feed: string
  feeds: { draft: string; disabled: string; withoutFeed: string; blockedRun: string }
}

/** What a mutation about a feed changes: its row, its requests, or the job of a worker. */
export const tables = {
  Feed: [
    `(select xmin, id from freshet.feeds union all select xmin, feed_id from freshet.feed_requests
      union all select xmin, (data ->> 'feedId')::bigint from pgboss.job where name = 'feed-test')`,
    'id',
  ],
  FeedRun: ["(select xmin, data #>> '{decision,runId}' as id from pgboss.job where name = 'feed-decide')", 'id'],
} satisfies Record<string, Table>

export const make: Make<RetailerFixture, FeedFixture> = async (pool, { mark, Retailer }) => {
  const source = (name: string) =>
    aSource(pool, numberOf(Retailer)!, { name: `${name} ${mark}`, kind: 'AFFILIATE_FEED' })
  const where = { host: `${mark}.example`, path: `/${mark}.csv`, username: mark, status_reason: mark }
  const secret = { secret_ciphertext: Buffer.from(`secret ${mark}`), secret_key_id: mark }
  const feed = async (status: string) => {
    const columns = {
      source_id: await source(status),
      status,
      created_by: mark,
      host_keys: [mark],
      ...where,
      ...secret,
    }
    return insertRow(pool, 'feeds', columns)
  }
  const enabled = await feed('ENABLED')
  const [draft, disabled] = [await feed('DRAFT'), await feed('DISABLED')]
  const run = await aBlockedRun(pool, enabled)
  return {
    Feed: encodeId('Feed', enabled),
    feeds: {
      draft: encodeId('Feed', draft),
      disabled: encodeId('Feed', disabled),
      withoutFeed: encodeId('Source', await source('none')),
      blockedRun: encodeId('FeedRun', run),
    },
  }
}

/** A run of a feed that was judged and blocked, and saw nothing. */
async function aBlockedRun(pool: Parameters<typeof make>[0], feedId: string): Promise<string> {
  const now = new Date()
  const columns = {
    source_id: (await pool.query<{ id: string }>('select source_id as id from freshet.feeds where id = $1', [feedId]))
      .rows[0]!.id,
    kind: 'FEED',
    trigger: 'MANUAL',
    status: 'SUCCEEDED',
    started_at: now,
    updated_at: now,
    finished_at: now,
  }
  const id = await insertRow(pool, 'runs', columns)
  const insert = `insert into freshet.feed_runs (run_id, feed_id, place, is_blocked, block_reasons, would_expire_count)
    values ($1, $2, nextval('freshet.feed_run_places'), true, '{SPIKE_THRESHOLD_EXCEEDED}', 3)`
  await pool.query(insert, [id, feedId])
  return id
}

const askWorker = 'isDone job { id queue }'
type Jobs = { job: { id: string } }
const jobOf = (answer: unknown) => (answer as Jobs).job.id

export const operations: Operations<Mark & RetailerFixture & FeedFixture & { FeedRun: string }> = {
  'Query.feed': {
    scope: 'OPERATE',
    document: 'query ($id: ID!) { feed(id: $id) { id host nextRunAt } }',
    variables: ({ Feed }) => ({ id: Feed }),
  },
  'Query.feeds': { scope: 'OPERATE', document: '{ feeds { totalCount nodes { id host } edges { node { name } } } }' },
  'Query.exportRunErrors': {
    scope: 'OPERATE',
    document: 'query ($runId: ID!) { exportRunErrors(runId: $runId) }',
    variables: ({ FeedRun }) => ({ runId: FeedRun }),
  },
  'Mutation.createFeed': {
    scope: 'OPERATE',
    document: 'mutation ($input: CreateFeedInput!) { createFeed(input: $input) { id } }',
    variables: ({ feeds, mark }) => ({ input: { sourceId: feeds.withoutFeed, host: `${mark}.example` } }),
    recorded: ({ feeds, mark }, { id }) => ({
      action: 'CREATE_FEED',
      objectType: 'Feed',
      objectId: numberOf(id),
      changes: {
        sourceId: { to: numberOf(feeds.withoutFeed) },
        dialect: { to: 'GENERIC' },
        host: { to: `${mark}.example` },
      },
    }),
    repeated: 'ALREADY_EXISTS',
    usesUp: true,
  },
  'Mutation.updateFeed': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateFeedInput!) { updateFeed(input: $input) { id } }',
    variables: ({ Feed }) => ({ input: { id: Feed, holdHours: 24 } }),
    recorded: ({ Feed }) => ({
      action: 'UPDATE_FEED',
      objectType: 'Feed',
      objectId: numberOf(Feed),
      changes: { holdHours: { from: 168, to: 24 } },
    }),
    repeated: 'same',
  },
  'Mutation.enableFeed': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { enableFeed(id: $id) { id } }',
    variables: ({ feeds }) => ({ id: feeds.draft }),
    recorded: ({ feeds }) => ({
      action: 'ENABLE_FEED',
      objectType: 'Feed',
      objectId: numberOf(feeds.draft),
      changes: { status: { from: 'DRAFT', to: 'ENABLED' } },
    }),
    repeated: 'same',
  },
  'Mutation.pauseFeed': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { pauseFeed(id: $id) { id } }',
    variables: ({ Feed }) => ({ id: Feed }),
    recorded: ({ Feed }) => ({
      action: 'PAUSE_FEED',
      objectType: 'Feed',
      objectId: numberOf(Feed),
      changes: { status: { from: 'ENABLED', to: 'PAUSED' } },
    }),
    repeated: 'same',
  },
  'Mutation.reenableFeed': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { reenableFeed(id: $id, acknowledge: true) { id } }',
    variables: ({ feeds }) => ({ id: feeds.disabled, acknowledge: true }),
    recorded: ({ feeds }) => ({
      action: 'REENABLE_FEED',
      objectType: 'Feed',
      objectId: numberOf(feeds.disabled),
      changes: { status: { from: 'DISABLED', to: 'ENABLED' } },
    }),
    repeated: 'same',
  },
  'Mutation.runFeed': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { runFeed(id: $id) { id manualRunPending } }',
    variables: ({ Feed }) => ({ id: Feed }),
    recorded: ({ Feed }) => ({
      action: 'RUN_FEED',
      objectType: 'Feed',
      objectId: numberOf(Feed),
      changes: { request: { to: 1 }, force: { to: false } },
    }),
    repeated: 'new',
  },
  'Mutation.acceptHostKey': {
    scope: 'ADMIN',
    document:
      'mutation ($id: ID!, $fingerprint: String!) { acceptHostKey(id: $id, fingerprint: $fingerprint, only: true) { id hostKeys } }',
    variables: ({ Feed }) => ({ id: Feed, fingerprint: `SHA256:${'a'.repeat(43)}` }),
    recorded: ({ Feed, mark }, { hostKeys }) => ({
      action: 'ACCEPT_HOST_KEY',
      objectType: 'Feed',
      objectId: numberOf(Feed),
      changes: { hostKeys: { from: [mark], to: hostKeys } },
    }),
    repeated: 'same',
  },
  'Mutation.testFeed': {
    scope: 'OPERATE',
    document: `mutation ($id: ID, $input: TestFeedInput) { testFeed(id: $id, input: $input, waitSeconds: 0) { ${askWorker} } }`,
    variables: ({ Feed }) => ({ id: Feed, waitSeconds: 0 }),
    others: {
      input: {
        input: { transport: 'SFTP', host: 'feeds.example', path: '/catalog.csv', username: 'shop' },
        waitSeconds: 0,
      },
    },
    recorded: ({ Feed }, answer) => ({
      action: 'TEST_FEED',
      objectType: 'Feed',
      objectId: numberOf(Feed),
      changes: { job: { to: jobOf(answer) } },
    }),
    repeated: 'new',
  },
  'Mutation.approveActivation': {
    scope: 'OPERATE',
    document: `mutation ($runId: ID!) { approveActivation(runId: $runId, expectedWouldExpire: 0, waitSeconds: 0) { ${askWorker} } }`,
    variables: ({ feeds }) => ({ runId: feeds.blockedRun, waitSeconds: 0 }),
    recorded: ({ feeds }, answer) => ({
      action: 'APPROVE_ACTIVATION',
      objectType: 'FeedRun',
      objectId: numberOf(feeds.blockedRun),
      changes: { expectedWouldExpire: { to: 0 }, job: { to: jobOf(answer) } },
    }),
    repeated: 'new',
  },
  'Mutation.rejectActivation': {
    scope: 'OPERATE',
    document: `mutation ($runId: ID!, $reason: String!) { rejectActivation(runId: $runId, reason: $reason, waitSeconds: 0) { ${askWorker} } }`,
    variables: ({ feeds, mark }) => ({ runId: feeds.blockedRun, reason: mark, waitSeconds: 0 }),
    recorded: ({ feeds, mark }, answer) => ({
      action: 'REJECT_ACTIVATION',
      objectType: 'FeedRun',
      objectId: numberOf(feeds.blockedRun),
      changes: { reason: { to: mark }, job: { to: jobOf(answer) } },
    }),
    repeated: 'new',
  },
}
