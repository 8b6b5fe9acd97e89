import type { Prisma } from '../db/generated/client/client.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { Feed } from './feed-type.ts'
import { rowId } from './global-id.ts'
import { byNewest, nodeQuery, readModelPage } from './model-page.ts'
import { RunStatus, RunTrigger } from './run-enum.ts'
import { RunKind, whereRun } from './run-kind.ts'
import { Run, runNodes } from './run-type.ts'
import { Source } from './source-type.ts'

const RunConnection = builder.connectionObject(
  { type: Run, name: 'RunConnection', description: 'A page of runs.' },
  { description: 'A run and its place in the list.' },
)

const RunFilter = builder.inputType('RunFilter', {
  description: 'Which runs to list.',
  fields: (t) => ({
    kind: t.field({ type: RunKind, description: 'Only those of this kind.' }),
    status: t.field({ type: RunStatus, description: 'Only those that stand like this.' }),
    trigger: t.field({ type: RunTrigger, description: 'Only those started for this reason.' }),
    sourceId: t.globalID({ for: Source, description: 'Only those for this source.' }),
    feedId: t.globalID({ for: Feed, description: 'Only those of this feed.' }),
    blocked: t.boolean({
      description:
        'Only those that were blocked and wait for a decision, or only the others. A later run may have made one stale.',
    }),
  }),
})

builder.queryFields((t) => ({
  runs: t.field({
    type: RunConnection,
    description: 'Runs of all kinds, newest first.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: RunFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, context, info) => {
      const where: Prisma.RunWhereInput = {
        kind: filter?.kind ?? undefined,
        status: filter?.status ?? undefined,
        trigger: filter?.trigger ?? undefined,
        sourceId: rowId(filter?.sourceId),
        ...feedRunWhere(rowId(filter?.feedId), filter?.blocked),
      }
      return readModelPage(page, byNewest('runs'), context.db.run, { where, ...nodeQuery(context, info) })
    },
  }),
  run: t.prismaField({
    type: Run,
    nullable: true,
    description: 'One run; null if there is none with this id.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: runNodes, description: 'Its id.' }) },
    resolve: (query, _root, { id }, { db }) => db.run.findUnique({ ...query, where: whereRun(id) }),
  }),
}))

const waiting = { isBlocked: true, approvedAt: null, rejectedAt: null }

/** What is asked of a run as that of a feed; runs of other kinds wait for no decision. */
function feedRunWhere(feedId: bigint | undefined, blocked: boolean | null | undefined): Prisma.RunWhereInput {
  const ofFeed = feedId === undefined ? [] : [{ feedRun: { feedId } }]
  const decided = typeof blocked !== 'boolean' ? [] : blocked ? [{ feedRun: waiting }] : [{ NOT: { feedRun: waiting } }]
  return ofFeed.length + decided.length === 0 ? {} : { AND: [...ofFeed, ...decided] }
}
