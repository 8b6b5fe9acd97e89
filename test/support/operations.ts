import type pg from 'pg'
import type { Scope } from '../../src/domain/access/actor.ts'
import { digestKey, makeKey } from '../../src/domain/access/key.ts'
import { encodeId, readId } from '../../src/schema/global-id.ts'
import { makeFailure, makeJob, makeQueue } from './queue.ts'

/** Global ids of objects that exist, and a text that stands in every one of them that is not for everybody. */
export type Fixture = {
  Schedule: string
  ScheduleRun: string
  Retailer: string
  Source: string
  ApiKey: string
  AuditEntry: string
  FeedRun: string
  ScrapeRun: string
  CrawlRun: string
  VerificationRun: string
  Alert: string
  /** A queue of its own, with a job that waits and one that failed for good. */
  queue: { name: string; waiting: string; failed: string }
  mark: string
}

type Recorded = { action: string; objectType: string; objectId: string | null; changes: object }
type Data = Record<string, { id?: string; apiKey?: { id: string; prefix: string } }>

/** How a root field is asked for, the scope it needs and, for a mutation, the one line it leaves in the audit log. */
export type Operation = {
  scope: Scope
  document: string
  variables?: (fixture: Fixture) => object
  recorded?: (fixture: Fixture, data: Data) => Recorded
}

let count = 0

/** A retailer, a source, a key, an entry of the audit log, a run of each type, an alert and a queue, all new. */
export async function makeFixture(pool: pg.Pool): Promise<Fixture> {
  const number = ++count
  const mark = `mark-${number}`
  const { prefix, hash } = digestKey(makeKey())!
  const insert = async (sql: string, values: unknown[]) =>
    (await pool.query<{ id: string }>(`${sql} returning id`, values)).rows[0]!.id
  const retailer = await insert('insert into freshet.retailers (slug, name) values ($1, $2)', [
    `shop-${number}`,
    'Shop',
  ])
  const source = await insert(
    `insert into freshet.sources (retailer_id, name, kind, url, adapter_id, affiliate_account_id, affiliate_account_name, affiliate_tracking_template, tos_notes, scrape_config)
     values ($1, $2, 'DIRECT', $2, $2, $2, $2, $2, $2, jsonb_build_object('requestsPerSecond', $2::text))`,
    [retailer, mark],
  )
  const key = await insert(
    "insert into freshet.api_keys (name, prefix, hash, scopes, created_by) values ($1, $2, $3, '{READ}', $1)",
    [mark, prefix, hash],
  )
  const entry = await insert(
    "insert into freshet.audit_log (actor, action, object_type, object_id, request_id) values ($1, $1, 'Retailer', $2, $1)",
    [mark, retailer],
  )
  const runs = await insertRuns(pool, source, mark)
  const alert = await insert(
    `insert into freshet.alerts (source_id, kind, severity, subject, dedupe_key, message, details, raised_at, last_raised_at)
     values ($1, $2, 'P2', $2, $2, $2, jsonb_build_object('mark', $2::text), now(), now())`,
    [source, mark],
  )
  const queue = `fixture-${number}`
  await makeQueue(pool, queue)
  const waiting = await makeJob(pool, queue, {}, { mark })
  const { id: failed } = await makeFailure(pool, queue, { payload: { mark } })
  const schedule = await insert(
    "insert into freshet.schedules (name, kind, queue, cron) values ($1, $1, 'maintenance', '0 4 * * *')",
    [mark],
  )
  const scheduleRun = await insert(
    'insert into freshet.schedule_runs (schedule_id, job_id, started_at, error) values ($1, gen_random_uuid(), now(), $2)',
    [schedule, mark],
  )
  return {
    Schedule: encodeId('Schedule', schedule),
    ScheduleRun: encodeId('ScheduleRun', scheduleRun),
    Alert: encodeId('Alert', alert),
    queue: { name: queue, waiting, failed },
    Retailer: encodeId('Retailer', retailer),
    Source: encodeId('Source', source),
    ApiKey: encodeId('ApiKey', key),
    AuditEntry: encodeId('AuditEntry', entry),
    ...runs,
    mark,
  }
}

const kinds = { FeedRun: 'FEED', ScrapeRun: 'SCRAPE', CrawlRun: 'SWEEP', VerificationRun: 'VERIFICATION' } as const

/** A failed run of each type, with an error. */
async function insertRuns(pool: pg.Pool, source: string, mark: string) {
  const { rows } = await pool.query<{ id: string; kind: string }>(
    `with run as (
       insert into freshet.runs (source_id, kind, trigger, status, started_at, updated_at, finished_at, stage, counters, error_code, error_message, error_hint)
       select $1, kind, 'MANUAL', 'FAILED', now(), now(), now(), $2, jsonb_build_object($2::text, 1), $2, $2, $2 from unnest($3::freshet.run_kind[]) kind
       returning id, kind
     ), error as (insert into freshet.run_errors (run_id, at, code, message) select id, now(), $2, $2 from run),
     total as (insert into freshet.run_error_totals (run_id, code, total) select id, $2, 1 from run)
     select id, kind from run`,
    [source, mark, Object.values(kinds)],
  )
  const idOf = (type: keyof typeof kinds) => encodeId(type, rows.find(({ kind }) => kind === kinds[type])!.id)
  return {
    FeedRun: idOf('FeedRun'),
    ScrapeRun: idOf('ScrapeRun'),
    CrawlRun: idOf('CrawlRun'),
    VerificationRun: idOf('VerificationRun'),
  }
}

const numberOf = (globalId: string | undefined) => readId(globalId ?? '')?.id ?? null

/** Every root field of the schema. A field that is missing here fails the access test. */
export const operations: Record<string, Operation> = {
  'Query.node': {
    scope: 'READ',
    document: 'query ($id: ID!) { node(id: $id) { id } }',
    variables: ({ Retailer }) => ({ id: Retailer }),
  },
  'Query.retailer': {
    scope: 'READ',
    document: 'query ($id: ID!) { retailer(id: $id) { id name } }',
    variables: ({ Retailer }) => ({ id: Retailer }),
  },
  'Query.retailers': { scope: 'READ', document: '{ retailers { totalCount nodes { id } edges { node { name } } } }' },
  'Query.source': {
    scope: 'OPERATE',
    document: 'query ($id: ID!) { source(id: $id) { id name url } }',
    variables: ({ Source }) => ({ id: Source }),
  },
  'Query.sources': { scope: 'OPERATE', document: '{ sources { totalCount nodes { id } edges { node { name } } } }' },
  'Query.apiKeys': { scope: 'ADMIN', document: '{ apiKeys { totalCount nodes { id name } } }' },
  'Query.alerts': { scope: 'OPERATE', document: '{ alerts { totalCount nodes { id } edges { node { message } } } }' },
  'Query.auditLog': { scope: 'OPERATE', document: '{ auditLog { totalCount nodes { id actor } } }' },
  'Query.queues': { scope: 'OPERATE', document: '{ queues { name waiting dead retryWaitSeconds } }' },
  'Query.jobs': { scope: 'OPERATE', document: '{ jobs(first: 100) { totalCount nodes { id payload } } }' },
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
  'Subscription.alertRaised': {
    scope: 'OPERATE',
    document: 'subscription { alertRaised { __typename ... on StreamStart { cursor } } }',
  },
  'Subscription.runEvents': {
    scope: 'OPERATE',
    document: 'subscription { runEvents { __typename ... on StreamStart { cursor } } }',
  },

  'Mutation.retryJob': {
    scope: 'OPERATE',
    document: 'mutation ($queue: String!, $id: ID!) { retryJob(queue: $queue, id: $id) { id } }',
    variables: ({ queue }) => ({ queue: queue.name, id: queue.failed }),
    recorded: ({ queue }, data) => ({
      action: 'RETRY_JOB',
      objectType: 'Job',
      objectId: queue.failed,
      changes: { queue: { to: queue.name }, repeatedAs: { to: data.retryJob?.id } },
    }),
  },
  'Mutation.cancelJob': {
    scope: 'OPERATE',
    document: 'mutation ($queue: String!, $id: ID!) { cancelJob(queue: $queue, id: $id) { id } }',
    variables: ({ queue }) => ({ queue: queue.name, id: queue.waiting }),
    recorded: ({ queue }) => ({
      action: 'CANCEL_JOB',
      objectType: 'Job',
      objectId: queue.waiting,
      changes: { queue: { to: queue.name }, state: { from: 'created', to: 'cancelled' }, run: { to: false } },
    }),
  },
  'Mutation.redriveQueue': {
    scope: 'OPERATE',
    document: 'mutation ($name: String!) { redriveQueue(name: $name, limit: 10) { moved } }',
    variables: ({ queue }) => ({ name: queue.name }),
    recorded: ({ queue }) => ({
      action: 'REDRIVE_QUEUE',
      objectType: 'Queue',
      objectId: queue.name,
      changes: { limit: { to: 10 }, moved: { to: 1 } },
    }),
  },
  'Query.schedules': {
    scope: 'OPERATE',
    document: '{ schedules { driver lastTickAt lagSeconds totalCount nodes { id history { nodes { error } } } } }',
  },

  'Mutation.updateSchedule': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateScheduleInput!) { updateSchedule(input: $input) { id } }',
    variables: ({ Schedule }) => ({ input: { id: Schedule, cron: '30 4 * * *', enabled: true } }),
    recorded: ({ Schedule }) => ({
      action: 'UPDATE_SCHEDULE',
      objectType: 'Schedule',
      objectId: numberOf(Schedule),
      changes: { cron: { from: '0 4 * * *', to: '30 4 * * *' } },
    }),
  },
  'Mutation.runSchedule': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { runSchedule(id: $id) { id queue } }',
    variables: ({ Schedule }) => ({ id: Schedule }),
    recorded: ({ Schedule }, data) => ({
      action: 'RUN_SCHEDULE',
      objectType: 'Schedule',
      objectId: numberOf(Schedule),
      changes: { queue: { to: 'maintenance' }, job: { to: data['runSchedule']!.id } },
    }),
  },
  'Mutation.createRetailer': {
    scope: 'OPERATE',
    document: 'mutation ($input: CreateRetailerInput!) { createRetailer(input: $input) { id } }',
    variables: ({ mark }) => ({ input: { name: `New ${mark}`, website: 'https://www.new.example', tier: null } }),
    recorded: ({ mark }, data) => ({
      action: 'CREATE_RETAILER',
      objectType: 'Retailer',
      objectId: numberOf(data.createRetailer?.id),
      changes: {
        name: { to: `New ${mark}` },
        slug: { to: `new-${mark}` },
        website: { to: 'https://www.new.example/' },
        domain: { to: 'new.example' },
      },
    }),
  },
  'Mutation.updateRetailer': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateRetailerInput!) { updateRetailer(input: $input) { id } }',
    variables: ({ Retailer }) => ({ input: { id: Retailer, name: 'Shop', tier: 'gold' } }),
    recorded: ({ Retailer }) => ({
      action: 'UPDATE_RETAILER',
      objectType: 'Retailer',
      objectId: numberOf(Retailer),
      changes: { tier: { from: null, to: 'gold' } },
    }),
  },
  'Mutation.importRetailers': {
    scope: 'OPERATE',
    document: 'mutation ($csv: String!) { importRetailers(csv: $csv) { rows } }',
    variables: ({ mark }) => ({ csv: `name\nOne ${mark}\nTwo ${mark}` }),
    recorded: () => ({
      action: 'IMPORT_RETAILERS',
      objectType: 'Retailer',
      objectId: null,
      changes: { created: { to: 2 }, updated: { to: 0 } },
    }),
  },
  'Mutation.createSource': {
    scope: 'OPERATE',
    document: 'mutation ($input: CreateSourceInput!) { createSource(input: $input) { id } }',
    variables: ({ Retailer }) => ({ input: { retailerId: Retailer, name: 'Pages', kind: 'SCRAPE' } }),
    recorded: ({ Retailer }, data) => ({
      action: 'CREATE_SOURCE',
      objectType: 'Source',
      objectId: numberOf(data.createSource?.id),
      changes: {
        retailerId: { to: numberOf(Retailer) },
        name: { to: 'Pages' },
        kind: { to: 'SCRAPE' },
        visibilityStatus: { to: 'INELIGIBLE' },
        upcTrusted: { to: false },
      },
    }),
  },
  'Mutation.updateSource': {
    scope: 'OPERATE',
    document: 'mutation ($input: UpdateSourceInput!) { updateSource(input: $input) { id } }',
    variables: ({ Source }) => ({ input: { id: Source, expiryHours: 24 } }),
    recorded: ({ Source }) => ({
      action: 'UPDATE_SOURCE',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: { expiryHours: { from: 48, to: 24 } },
    }),
  },
  'Mutation.reviewSource': {
    scope: 'OPERATE',
    document: 'mutation ($input: ReviewSourceInput!) { reviewSource(input: $input) { id tosReviewedAt } }',
    variables: ({ Source }) => ({ input: { id: Source, tosApprovedBy: 'a person', robotsCompliant: false } }),
    recorded: ({ Source, mark }, data) => ({
      action: 'REVIEW_SOURCE',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: {
        tosReviewedAt: { from: null, to: (data.reviewSource as { tosReviewedAt?: string }).tosReviewedAt },
        tosApprovedBy: { from: null, to: 'a person' },
        tosNotes: { from: mark, to: null },
        robotsCompliant: { from: true, to: false },
      },
    }),
  },
  'Mutation.setDisplayPrimary': {
    scope: 'ADMIN',
    document: 'mutation ($id: ID!) { setDisplayPrimary(id: $id) { id } }',
    variables: ({ Source }) => ({ id: Source }),
    recorded: ({ Source }) => ({
      action: 'SET_DISPLAY_PRIMARY',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: { displayPrimary: { from: null, to: numberOf(Source) } },
    }),
  },
  'Mutation.setSourceVisibility': {
    scope: 'ADMIN',
    document: 'mutation ($id: ID!) { setSourceVisibility(id: $id, status: INELIGIBLE) { id } }',
    variables: ({ Source }) => ({ id: Source }),
    recorded: ({ Source }) => ({
      action: 'SET_SOURCE_VISIBILITY',
      objectType: 'Source',
      objectId: numberOf(Source),
      changes: { visibilityStatus: { from: 'ELIGIBLE', to: 'INELIGIBLE' } },
    }),
  },
  'Mutation.importSources': {
    scope: 'ADMIN',
    document: 'mutation ($csv: String!) { importSources(csv: $csv) { rows } }',
    variables: ({ mark }) => ({ csv: `retailer,name\nshop-${mark.split('-')[1]},Imported` }),
    recorded: () => ({
      action: 'IMPORT_SOURCES',
      objectType: 'Source',
      objectId: null,
      changes: { created: { to: 1 }, updated: { to: 0 }, displayPrimaries: { to: 1 } },
    }),
  },
  'Mutation.createApiKey': {
    scope: 'ADMIN',
    document: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id prefix } } }',
    variables: ({ mark }) => ({ input: { name: mark, scopes: ['READ', 'READ'] } }),
    recorded: ({ mark }, data) => ({
      action: 'CREATE_API_KEY',
      objectType: 'ApiKey',
      objectId: numberOf(data.createApiKey?.apiKey?.id),
      changes: { name: { to: mark }, prefix: { to: data.createApiKey?.apiKey?.prefix }, scopes: { to: ['READ'] } },
    }),
  },
  'Mutation.revokeApiKey': {
    scope: 'ADMIN',
    document: 'mutation ($id: ID!) { revokeApiKey(id: $id) { id revokedAt } }',
    variables: ({ ApiKey }) => ({ id: ApiKey }),
    recorded: ({ ApiKey }, data) => ({
      action: 'REVOKE_API_KEY',
      objectType: 'ApiKey',
      objectId: numberOf(ApiKey),
      changes: { revokedAt: { from: null, to: (data.revokeApiKey as { revokedAt?: string }).revokedAt } },
    }),
  },
  'Mutation.acknowledgeAlert': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { acknowledgeAlert(id: $id) { id acknowledgedAt acknowledgedBy } }',
    variables: ({ Alert }) => ({ id: Alert }),
    recorded: ({ Alert }, data) => {
      const { acknowledgedAt, acknowledgedBy } = data.acknowledgeAlert as Record<string, string>
      return {
        action: 'ACKNOWLEDGE_ALERT',
        objectType: 'Alert',
        objectId: numberOf(Alert),
        changes: {
          acknowledgedAt: { from: null, to: acknowledgedAt },
          acknowledgedBy: { from: null, to: acknowledgedBy },
        },
      }
    },
  },
  'Mutation.resolveAlert': {
    scope: 'OPERATE',
    document: 'mutation ($id: ID!) { resolveAlert(id: $id) { id resolvedAt resolvedBy } }',
    variables: ({ Alert }) => ({ id: Alert }),
    recorded: ({ Alert }, data) => {
      const { resolvedAt, resolvedBy } = data.resolveAlert as Record<string, string>
      return {
        action: 'RESOLVE_ALERT',
        objectType: 'Alert',
        objectId: numberOf(Alert),
        changes: { resolvedAt: { from: null, to: resolvedAt }, resolvedBy: { from: null, to: resolvedBy } },
      }
    },
  },
}
