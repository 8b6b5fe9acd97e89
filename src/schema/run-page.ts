import { z } from 'zod'
import { readErrorPages, readEventPages, type Part } from '../domain/runs/page.ts'
import { inBatches } from './batch.ts'
import type { Context } from './builder.ts'
import { readPage } from './connection.ts'
import { idPart } from './cursor.ts'

type PageArgs = { first?: number | null | undefined; after?: string | null | undefined }
type Behind = { after?: bigint }
type Query = { where: { AND: Behind[] }; take: number }

const loadEvents = inBatches((parts: readonly Part[], { pool }) => readEventPages(pool, parts))
const loadErrors = inBatches((parts: readonly Part[], { pool }) => readErrorPages(pool, parts))
const countEvents = inBatches(async (runIds: readonly bigint[], { db }) => {
  const counts = await db.runEvent.groupBy({ by: 'runId', where: { runId: { in: [...runIds] } }, _count: true })
  return runIds.map((id) => counts.find(({ runId }) => runId === id)?._count ?? 0)
})
const countErrors = inBatches(async (asked: readonly { runId: bigint; code: string | null }[], { db }) => {
  const runIds = asked.map(({ runId }) => runId)
  const counts = await db.runError.groupBy({ by: ['runId', 'code'], where: { runId: { in: runIds } }, _count: true })
  return asked.map(({ runId, code }) =>
    counts
      .filter((count) => count.runId === runId && (code === null || count.code === code))
      .reduce((sum, count) => sum + count._count, 0),
  )
})

const byKey = <Row>(name: string, key: (row: Row) => bigint) => ({
  name,
  form: z.tuple([idPart]),
  key: (row: Row): [bigint] => [key(row)],
  behind: ([after]: [bigint]): Behind => ({ after }),
  orderBy: [],
})
const placeOf = ({ AND: places }: { AND: Behind[] }) => places.at(-1)?.after ?? 0n

/** A page of a run's events, oldest first. The pages of many runs are read together. */
export const readRunEvents = (runId: bigint, page: PageArgs, context: Context) =>
  readPage(
    page,
    byKey('run.events', (event: { number: number }) => BigInt(event.number)),
    {},
    {
      rows: ({ where, take }: Query) => loadEvents({ runId, after: placeOf(where), take }, context),
      count: () => countEvents(runId, context),
    },
  )

/** A page of a run's sampled errors, in the order in which they happened. */
export const readRunErrors = (
  runId: bigint,
  { code = null, ...page }: PageArgs & { code?: string | null | undefined },
  context: Context,
) =>
  readPage(
    page,
    byKey('run.errors', ({ id }: { id: bigint }) => id),
    {},
    {
      rows: ({ where, take }: Query) => loadErrors({ runId, after: placeOf(where), take, code }, context),
      count: () => countErrors({ runId, code }, context),
    },
  )
