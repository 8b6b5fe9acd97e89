import { readFeedTimes } from '../domain/feeds/feed-times.ts'
import { inBatches } from './batch.ts'
import { builder } from './builder.ts'
import {
  BlockPolicy,
  FeedDecimalMark,
  FeedDelimiter,
  FeedDialect,
  FeedFormat,
  FeedQuoting,
  FeedStatus,
  FeedTlsMode,
  FeedTransport,
  UnchangedPolicy,
} from './feed-enum.ts'
import { loadRun } from './load-run.ts'
import { FeedRun } from './run-type.ts'
import { AffiliateNetwork, Source } from './source-type.ts'

const loadTimes = inBatches((ids: readonly bigint[], { pool }) => readFeedTimes(pool, ids))

/** How the file of a source is fetched and judged. Its credential is never shown. */
export const Feed = builder.prismaNode('Feed', {
  description: 'How the file of an affiliate network is fetched, read and judged. Its credential is never shown.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    source: t.relation('source', { description: 'The source that it fills.' }),
    name: t.string({
      description: 'The name of its source.',
      select: { source: { select: { name: true } } },
      resolve: ({ source }) => source.name,
    }),
    network: t.field({
      type: AffiliateNetwork,
      nullable: true,
      description: 'The network of its source.',
      select: { source: { select: { affiliateNetwork: true } } },
      resolve: ({ source }) => source.affiliateNetwork,
    }),
    status: t.expose('status', { type: FeedStatus, description: 'Whether it runs.' }),
    statusReason: t.exposeString('statusReason', { nullable: true, description: 'Why it stands so.' }),
    consecutiveFailures: t.exposeInt('consecutiveFailures', {
      description: 'How many runs failed in a row; at 3 it is DISABLED.',
    }),
    transport: t.expose('transport', { type: FeedTransport, description: 'How the file is fetched.' }),
    tlsMode: t.expose('tlsMode', { type: FeedTlsMode, nullable: true, description: 'How FTPS begins; else null.' }),
    host: t.exposeString('host', { nullable: true, description: 'The server.' }),
    port: t.exposeInt('port', { nullable: true, description: 'Its port; null: the usual one of the transport.' }),
    path: t.exposeString('path', { nullable: true, description: 'The file.' }),
    username: t.exposeString('username', { nullable: true, description: 'Who logs in.' }),
    hasPassword: t.boolean({
      description: 'Whether a password or private key is stored. It cannot be read, only replaced.',
      select: { secretKeyId: true },
      resolve: ({ secretKeyId }) => secretKeyId !== null,
    }),
    secretKeyId: t.exposeString('secretKeyId', {
      nullable: true,
      description: 'Which key of the installation encrypts its credential.',
    }),
    hostKeys: t.exposeStringList('hostKeys', {
      description: 'The SSH host keys that are accepted, at most 5; none: the first one seen is learned.',
    }),
    format: t.expose('format', { type: FeedFormat, description: 'What the file is.' }),
    dialect: t.expose('dialect', { type: FeedDialect, description: 'Whose names the columns have.' }),
    delimiter: t.expose('delimiter', {
      type: FeedDelimiter,
      nullable: true,
      description: 'What stands between two fields; null: it is found out.',
    }),
    quoting: t.expose('quoting', {
      type: FeedQuoting,
      nullable: true,
      description: 'Whether quotes have a meaning; null: it is found out.',
    }),
    columnMap: t.expose('columnMap', {
      type: 'JSON',
      description: 'Fields that are read from other columns than the dialect says, each with a list of columns.',
    }),
    defaultCurrency: t.exposeString('defaultCurrency', { description: 'The currency of prices without one.' }),
    decimalMark: t.expose('decimalMark', {
      type: FeedDecimalMark,
      nullable: true,
      description: 'What stands before the cents of its prices; null: it is found out from each file.',
    }),
    expiryHours: t.int({
      description: 'How long an offer stays visible after it was last seen: 1 to 168 hours. It is kept at the source.',
      select: { source: { select: { expiryHours: true } } },
      resolve: ({ source }) => source.expiryHours,
    }),
    maxFileSizeBytes: t.float({
      description: 'How large the file may be.',
      select: { maxFileSizeBytes: true },
      resolve: ({ maxFileSizeBytes }) => Number(maxFileSizeBytes),
    }),
    maxRowCount: t.exposeInt('maxRowCount', { description: 'How many rows it may have.' }),
    maxProductCount: t.exposeInt('maxProductCount', { description: 'How many different products it may have.' }),
    expirePercent: t.exposeInt('expirePercent', {
      description: 'A run is blocked in which more than this share of the offers would expire, and `expireMinCount`.',
    }),
    expireMinCount: t.exposeInt('expireMinCount', { description: 'Fewer than this are no mass disappearance.' }),
    expireMaxCount: t.exposeInt('expireMaxCount', {
      description: 'A run is blocked in which this many would expire, whatever their share.',
    }),
    urlHashPercent: t.exposeInt('urlHashPercent', {
      description: 'A run is blocked in which more than this share is known by the hash of its address alone.',
    }),
    urlHashMaxCount: t.exposeInt('urlHashMaxCount', { description: 'The same, as a number.' }),
    rejectedPercent: t.exposeInt('rejectedPercent', {
      description: 'A run of at least 20 rows is blocked of which more than this share was rejected.',
    }),
    priceMovePercent: t.exposeInt('priceMovePercent', {
      description: 'A run is blocked in which more than this share of at least 20 prices moved by a factor of two.',
    }),
    unchangedPolicy: t.expose('unchangedPolicy', {
      type: UnchangedPolicy,
      description: 'What a run does whose file did not change.',
    }),
    blockPolicy: t.expose('blockPolicy', { type: BlockPolicy, description: 'What a blocked run holds back.' }),
    holdHours: t.exposeInt('holdHours', { description: 'How long a block may stop the expiry of offers.' }),
    priceHeartbeatHours: t.exposeInt('priceHeartbeatHours', {
      description: 'After how long a price that did not change is written down once more.',
    }),
    scheduleFrequencyHours: t.int({
      nullable: true,
      description: 'It runs every so many hours; null: by `scheduleCron`, or only when asked to.',
      resolve: async ({ id }, _args, context) => (await loadTimes(id, context)).scheduleFrequencyHours,
    }),
    scheduleCron: t.string({
      nullable: true,
      description: 'It runs by this cron expression; null: by `scheduleFrequencyHours`, or only when asked to.',
      resolve: async ({ id }, _args, context) => (await loadTimes(id, context)).scheduleCron,
    }),
    timeZone: t.string({
      nullable: true,
      description: 'The time zone of `scheduleCron`.',
      resolve: async ({ id }, _args, context) => (await loadTimes(id, context)).timeZone,
    }),
    nextRunAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it runs next by the clock; null: it has no schedule, or is not ENABLED.',
      resolve: async ({ id }, _args, context) => (await loadTimes(id, context)).nextRunAt,
    }),
    lastRunAt: t.expose('lastRunAt', { type: 'DateTime', nullable: true, description: 'When its last run ended.' }),
    lastRun: t.field({
      type: FeedRun,
      nullable: true,
      description: 'Its last run, tests aside.',
      resolve: async ({ id }, _args, context) => {
        const { lastRunId } = await loadTimes(id, context)
        return lastRunId === null ? null : loadRun(lastRunId, context)
      },
    }),
    manualRunPending: t.boolean({
      description: 'Whether somebody asked for a run and none has begun since.',
      select: { requests: true },
      resolve: ({ requests }) => requests !== null && requests.manual > requests.covered,
    }),
    offersExpireAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the offers that were shown last expire, if nothing is shown before; null: nothing was shown.',
      resolve: async ({ id }, _args, context) => (await loadTimes(id, context)).offersExpireAt,
    }),
    createdBy: t.exposeString('createdBy', { nullable: true, description: 'Who added it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

builder.prismaObjectField(Source, 'feed', (t) =>
  t.relation('feed', { nullable: true, description: 'How its file is fetched; null: it has none.' }),
)
