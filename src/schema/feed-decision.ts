import type { Outcome } from '../domain/feeds/await-outcome.ts'
import { acceptPrice, approveActivation, rejectActivation } from '../domain/feeds/request-decision.ts'
import { exportRunErrors } from '../domain/feeds/export-run-errors.ts'
import { requestFeedTest } from '../domain/feeds/request-feed-test.ts'
import { builder } from './builder.ts'
import { TestFeedInput } from './feed-input.ts'
import { Feed } from './feed-type.ts'
import { rowId } from './global-id.ts'
import { Job, readJobBack } from './job.ts'
import { loadRun } from './load-run.ts'
import { Offer } from './offer-type.ts'
import { loadOffer } from './offer-page.ts'
import { FeedRun } from './run-type.ts'

type Decision = Outcome & { offerId?: bigint }

const FeedDecision = builder.objectRef<Decision>('FeedDecision').implement({
  description: 'How far a worker has come with what a mutation asked of it.',
  authScopes: { operate: true },
  fields: (t) => ({
    isDone: t.exposeBoolean('isDone', {
      description: 'Whether it is over. If not, the worker goes on with it: look at `job`, or at the run, again.',
    }),
    job: t.field({
      type: Job,
      description: 'The job that does it.',
      resolve: ({ job }, _args, context) => readJobBack(job, context),
    }),
    run: t.field({
      type: FeedRun,
      nullable: true,
      description:
        'The run as it is now: the one decided, or that of the test. Null: it has not begun, or there is none.',
      resolve: ({ runId }, _args, context) => (runId === undefined ? null : loadRun(runId, context)),
    }),
    offer: t.field({
      type: Offer,
      nullable: true,
      description: 'The offer whose price was decided, if consumers see it.',
      resolve: ({ offerId }, _args, context) => (offerId === undefined ? null : loadOffer(offerId, context)),
    }),
  }),
})

const waitArg = builder.args((t) => ({
  waitSeconds: t.int({
    defaultValue: 20,
    description: 'How long to wait for the worker: 0 to 20 seconds. It goes on with its work in any case.',
  }),
}))

builder.mutationFields((t) => ({
  testFeed: t.field({
    type: FeedDecision,
    description:
      'Tries a feed, or settings that nobody stored: connects, reads the first 100 rows, shows 10 of them as offers, and changes nothing. Allowed in every status. The result is `run.testResult`.',
    authScopes: { operate: true },
    args: {
      id: t.arg.globalID({ for: Feed, description: 'Which feed; or else `input`.' }),
      input: t.arg({ type: TestFeedInput, description: 'The settings; or else `id`.' }),
      ...waitArg,
    },
    resolve: (_root, { id, input, waitSeconds }, context) =>
      requestFeedTest(context, context.actor, { id: rowId(id), input }, waitSeconds ?? 20),
  }),
  approveActivation: t.field({
    type: FeedDecision,
    description: 'Shows what a blocked run saw after all. It covers the number of offers that the operator was shown.',
    authScopes: { operate: true },
    args: {
      runId: t.arg.globalID({ required: true, for: FeedRun, description: 'Which run.' }),
      expectedWouldExpire: t.arg.int({
        description: 'As `impact.wouldExpireCount` showed it: if it is another now, the approval is refused.',
      }),
      ...waitArg,
    },
    resolve: async (_root, { runId, expectedWouldExpire = null, waitSeconds }, context) => ({
      ...(await approveActivation(context, context.actor, rowId(runId), {
        expectedWouldExpire,
        waitSeconds: waitSeconds ?? 20,
      })),
      runId: rowId(runId),
    }),
  }),
  rejectActivation: t.field({
    type: FeedDecision,
    description: 'Gives a blocked run up: what it saw is never shown, and what is shown has the life left that it had.',
    authScopes: { operate: true },
    args: {
      runId: t.arg.globalID({ required: true, for: FeedRun, description: 'Which run.' }),
      reason: t.arg.string({ required: true, description: 'Why, for others; at most 1000 characters.' }),
      ...waitArg,
    },
    resolve: async (_root, { runId, reason, waitSeconds }, context) => ({
      ...(await rejectActivation(context, context.actor, rowId(runId), { reason, waitSeconds: waitSeconds ?? 20 })),
      runId: rowId(runId),
    }),
  }),
  acceptPrice: t.field({
    type: FeedDecision,
    description: 'Takes the price of an offer for true that was held back as implausible.',
    authScopes: { operate: true },
    args: {
      offerId: t.arg.globalID({ required: true, for: Offer, description: 'Which offer.' }),
      ...waitArg,
    },
    resolve: async (_root, { offerId, waitSeconds }, context) => ({
      ...(await acceptPrice(context, context.actor, rowId(offerId), { waitSeconds: waitSeconds ?? 20 })),
      offerId: rowId(offerId),
    }),
  }),
}))

builder.queryField('exportRunErrors', (t) =>
  t.string({
    description:
      'The sampled errors of a run as CSV with the header line, code, message, item, details. No cell begins as a formula would.',
    authScopes: { operate: true },
    args: { runId: t.arg.globalID({ required: true, for: FeedRun, description: 'Which run.' }) },
    resolve: (_root, { runId }, { db }) => exportRunErrors(db, rowId(runId)),
  }),
)
