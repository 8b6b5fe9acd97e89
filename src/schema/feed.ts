import type { Prisma } from '../db/generated/client/client.ts'
import { acceptHostKey } from '../domain/feeds/settings/accept-host-key.ts'
import { createFeed } from '../domain/feeds/settings/create-feed.ts'
import { enableFeed, pauseFeed, reenableFeed } from '../domain/feeds/settings/feed-status.ts'
import { runFeed } from '../domain/feeds/run-feed.ts'
import { updateFeed } from '../domain/feeds/settings/update-feed.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { FeedStatus, FeedTransport } from './feed-enum.ts'
import { CreateFeedInput, UpdateFeedInput } from './feed-input.ts'
import { Feed } from './feed-type.ts'
import { containing } from './filter.ts'
import { rowId } from './global-id.ts'
import { byNewest, nodeQuery, readModelPage } from './model-page.ts'
import { readBack } from './read-back.ts'
import { Retailer } from './retailer.ts'
import { AffiliateNetwork, Source } from './source-type.ts'

const FeedConnection = builder.connectionObject(
  { type: Feed, name: 'FeedConnection', description: 'A page of feeds.' },
  { description: 'A feed and its place in the list.' },
)

const FeedFilter = builder.inputType('FeedFilter', {
  description: 'Which feeds to list.',
  fields: (t) => ({
    q: t.string({ description: 'Part of the name of the source, upper or lower case.' }),
    status: t.field({ type: FeedStatus, description: 'Only those that stand so.' }),
    transport: t.field({ type: FeedTransport, description: 'Only those whose file is fetched so.' }),
    network: t.field({ type: AffiliateNetwork, description: 'Only those of this network.' }),
    sourceId: t.globalID({ for: Source, description: 'Only that of this source.' }),
    retailerId: t.globalID({ for: Retailer, description: 'Only those of this retailer.' }),
  }),
})

builder.queryFields((t) => ({
  feeds: t.field({
    type: FeedConnection,
    description: 'Feeds, newest first, a page at a time.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: FeedFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, context, info) => {
      const where: Prisma.FeedWhereInput = {
        status: filter?.status ?? undefined,
        transport: filter?.transport ?? undefined,
        sourceId: rowId(filter?.sourceId),
        source: {
          name: containing(filter?.q),
          affiliateNetwork: filter?.network ?? undefined,
          retailerId: rowId(filter?.retailerId),
        },
      }
      return readModelPage(page, byNewest('feeds'), context.db.feed, { where, ...nodeQuery(context, info) })
    },
  }),
  feed: t.prismaField({
    type: Feed,
    nullable: true,
    description: 'One feed; null if there is none with this id.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Feed, description: 'Its id.' }) },
    resolve: (query, _root, { id }, { db }) => db.feed.findUnique({ ...query, where: { id: rowId(id) } }),
  }),
}))

builder.mutationFields((t) => ({
  createFeed: t.prismaField({
    type: Feed,
    description: 'Adds a feed to a source, as a draft. To store a credential with it needs the scope ADMIN.',
    authScopes: { operate: true },
    args: { input: t.arg({ type: CreateFeedInput, required: true, description: 'The feed.' }) },
    resolve: (query, _root, { input: { sourceId, ...settings } }, context) =>
      readBack(context.db.feed, query, createFeed(context, context.actor, rowId(sourceId), settings)),
  }),
  updateFeed: t.prismaField({
    type: Feed,
    description:
      'Changes a feed. Another host, user, path, format, mapping, currency or limit makes the next run read its file whether it changed or not. A credential, or another server for the one stored, needs the scope ADMIN.',
    authScopes: { operate: true },
    args: {
      input: t.arg({ type: UpdateFeedInput, required: true, description: 'The changes.' }),
      confirm: t.arg.boolean({
        defaultValue: false,
        description: 'Needed where a feed that was shown is to tell its offers apart in another way.',
      }),
    },
    resolve: (query, _root, { input: { id, ...changes }, confirm }, context) =>
      readBack(context.db.feed, query, updateFeed(context, context.actor, rowId(id), changes, confirm ?? false)),
  }),
  enableFeed: t.prismaField({
    type: Feed,
    description: 'Lets a draft or a paused feed run; its first time by the clock is a whole period from now.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Feed, description: 'Which feed.' }) },
    resolve: (query, _root, { id }, context) =>
      readBack(context.db.feed, query, enableFeed(context, context.actor, rowId(id))),
  }),
  pauseFeed: t.prismaField({
    type: Feed,
    description: 'Stops an enabled feed. A run at work goes on to its end and gets no follow-up.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Feed, description: 'Which feed.' }) },
    resolve: (query, _root, { id }, context) =>
      readBack(context.db.feed, query, pauseFeed(context, context.actor, rowId(id))),
  }),
  reenableFeed: t.prismaField({
    type: Feed,
    description: 'Lets a feed run again that failures in a row disabled; its failures are counted from 0.',
    authScopes: { operate: true },
    args: {
      id: t.arg.globalID({ required: true, for: Feed, description: 'Which feed.' }),
      acknowledge: t.arg.boolean({ required: true, description: 'Must be true: what it failed with was mended.' }),
    },
    resolve: (query, _root, { id, acknowledge }, context) =>
      readBack(context.db.feed, query, reenableFeed(context, context.actor, rowId(id), acknowledge)),
  }),
  runFeed: t.prismaField({
    type: Feed,
    description:
      'Asks for a run now. However often it is asked while a run is at work, one follow-up happens. Times by the clock stay as they are.',
    authScopes: { operate: true },
    args: {
      id: t.arg.globalID({ required: true, for: Feed, description: 'Which feed; it must be ENABLED.' }),
      force: t.arg.boolean({ defaultValue: false, description: 'Process the file although it did not change.' }),
    },
    resolve: (query, _root, { id, force }, context) =>
      readBack(context.db.feed, query, runFeed(context, context.actor, rowId(id), force ?? false)),
  }),
  acceptHostKey: t.prismaField({
    type: Feed,
    description: 'Lets in the SSH host key with this fingerprint, beside those accepted before.',
    authScopes: { admin: true },
    args: {
      id: t.arg.globalID({ required: true, for: Feed, description: 'Which feed.' }),
      fingerprint: t.arg.string({
        required: true,
        description: 'As OpenSSH and the error of the run show it: SHA256: and 43 characters.',
      }),
      only: t.arg.boolean({ defaultValue: false, description: 'Forget the others.' }),
    },
    resolve: (query, _root, { id, fingerprint, only }, context) =>
      readBack(
        context.db.feed,
        query,
        acceptHostKey(context, context.actor, rowId(id), { fingerprint, only: only ?? false }),
      ),
  }),
}))
