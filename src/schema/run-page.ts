import { z } from 'zod'
import type { RunError } from '../db/generated/client/client.ts'
import type { RunEvent } from '../domain/runs/event.ts'
import { readErrorPages, readEventPages, type Part } from '../domain/runs/page.ts'
import { inBatches } from './batch.ts'
import type { Context } from './builder.ts'
import { readPage, type PageArgs } from './connection.ts'
import { idPart } from './cursor.ts'

const loadEvents = inBatches((parts: readonly Part[], { pool }) => readEventPages(pool, parts))
const loadErrors = inBatches((parts: readonly Part[], { pool }) => readErrorPages(pool, parts))
const loadEventCount = inBatches(async (runIds: readonly bigint[], { db }) => {
  const counts = await db.runEvent.groupBy({ by: 'runId', where: { runId: { in: [...runIds] } }, _count: true })
  return runIds.map((id) => counts.find(({ runId }) => runId === id)?._count ?? 0)
})
const loadErrorCount = inBatches(async (asked: readonly { runId: bigint; code: string | null }[], { db }) => {
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
})
const byNumber = byKey('run.events', (event: RunEvent) => BigInt(event.number))
const byId = byKey('run.errors', ({ id }: RunError) => id)

/** A page of a run's events, oldest first. The pages of many runs are read together. */
export const readRunEvents = (runId: bigint, page: PageArgs, context: Context) =>
  readPage(page, byNumber, {
    rows: ({ behind, take }) => loadEvents({ runId, after: behind?.[0] ?? 0n, take }, context),
    count: () => loadEventCount(runId, context),
  })

/** A page of a run's sampled errors, in the order in which they happened. */
export const readRunErrors = (
  runId: bigint,
  { code = null, ...page }: PageArgs & { code?: string | null | undefined },
  context: Context,
) =>
  readPage(page, byId, {
    rows: ({ behind, take }) => loadErrors({ runId, after: behind?.[0] ?? 0n, take, code }, context),
    count: () => loadErrorCount({ runId, code }, context),
  })
