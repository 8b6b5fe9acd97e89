import { z } from 'zod'
import { countImpact, readImpact, type Effect, type ImpactPart } from '../domain/feeds/feed-impact.ts'
import { inBatches } from './batch.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity, readPage } from './connection.ts'
import { idPart } from './cursor.ts'
import { encodeId } from './global-id.ts'
import { FeedRun } from './run-type.ts'

const ImpactEffect = builder.enumType('ImpactEffect', {
  description: 'What would become of an offer.',
  values: {
    EXPIRE: { description: 'It is shown, and would disappear.' },
    APPEAR: { description: 'It is not shown, and would be.' },
    PRICE: { description: 'Its price would change.' },
  } satisfies Record<Effect['effect'], { description: string }>,
})
const FeedImpact = builder.objectRef<Effect>('FeedImpact').implement({
  description: 'One thing that a run would change for consumers.',
  authScopes: { operate: true },
  fields: (t) => ({
    offerId: t.id({
      description: 'The global id of the offer.',
      resolve: ({ offerId }) => encodeId('Offer', offerId),
    }),
    effect: t.expose('effect', { type: ImpactEffect, description: 'What would become of it.' }),
    title: t.exposeString('title', { nullable: true, description: 'What it is called.' }),
    currency: t.exposeString('currency', { nullable: true, description: 'The currency of the price.' }),
    oldPrice: t.expose('oldPrice', { type: 'Decimal', nullable: true, description: 'The price that is shown.' }),
    newPrice: t.expose('newPrice', { type: 'Decimal', nullable: true, description: 'The price that would be shown.' }),
    isHeld: t.exposeBoolean('isHeld', {
      description: 'Whether the new price is held back as implausible: an approval accepts it.',
    }),
  }),
})

const loadCounts = inBatches((ids: readonly bigint[], { pool, now }) => countImpact(pool, ids, now()))
const loadPages = inBatches((parts: readonly ImpactPart[], { pool, now }) => readImpact(pool, parts, now()))

const order = {
  name: 'run.impact',
  form: z.tuple([idPart]),
  key: ({ offerId }: Effect): [bigint] => [offerId],
}

const FeedImpactConnection = builder.connectionObject(
  {
    type: FeedImpact,
    name: 'FeedImpactConnection',
    description: 'A page of what a run would change for consumers if it were shown now.',
    fields: (t) => ({
      wouldExpireCount: t.int({
        description: 'How many offers would expire: pass it to `approveActivation` as `expectedWouldExpire`.',
        resolve: async (page, _args, context) => (await loadCounts(runOf(page), context)).EXPIRE,
      }),
      wouldAppearCount: t.int({
        description: 'How many would appear.',
        resolve: async (page, _args, context) => (await loadCounts(runOf(page), context)).APPEAR,
      }),
      priceChangeCount: t.int({
        description: 'How many prices would change.',
        resolve: async (page, _args, context) => (await loadCounts(runOf(page), context)).PRICE,
      }),
    }),
  },
  { description: 'An effect and its place in the list.' },
)

const runs = new WeakMap<object, bigint>()
const runOf = (page: object): bigint => runs.get(page)!

builder.prismaObjectField(FeedRun, 'impact', (t) =>
  t.field({
    type: FeedImpactConnection,
    description:
      'What would change for consumers if this run were shown now, by offer: to be read before it is decided.',
    complexity: pageComplexity,
    args: pageArgs,
    select: { id: true },
    resolve: async ({ id: runId }, args, context) => {
      const page = await readPage(args, order, {
        rows: ({ behind, take }) => loadPages({ runId, after: behind?.[0] ?? 0n, take }, context),
        count: async () => {
          const { EXPIRE, APPEAR, PRICE } = await loadCounts(runId, context)
          return EXPIRE + APPEAR + PRICE
        },
      })
      runs.set(page, runId)
      return page
    },
  }),
)
