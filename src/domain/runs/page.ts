import type { RunError } from '../../db/generated/client/client.ts'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { readPages } from '../read-many.ts'
import { toEvent, type EventRow, type RunEvent } from './event.ts'

const eventPages = readQuery('run_event_pages')
const errorPages = readQuery('run_error_pages')

/** Which part of a run's list is asked for: what lies behind a key, and how much of it. */
export type Part = { runId: bigint; after: bigint; take: number; code?: string | null | undefined }

/** pg leaves 64-bit numbers as text. */
type ErrorRow = Omit<RunError, 'id' | 'runId'> & { id: string; runId: string }

/** A page of events for each part, in one statement for all parts that differ only in their run. */
export const readEventPages = (pool: Pool, parts: readonly Part[]): Promise<RunEvent[][]> =>
  readPages(parts, 'runId', async (runIds, { after, take }) => {
    const { rows } = await pool.query<EventRow>(eventPages, [runIds, after, take])
    return rows.map(toEvent)
  })

/** A page of sampled errors for each part. */
export const readErrorPages = (pool: Pool, parts: readonly Part[]): Promise<RunError[][]> =>
  readPages(parts, 'runId', async (runIds, { after, take, code }) => {
    const { rows } = await pool.query<ErrorRow>(errorPages, [runIds, after, take, code ?? null])
    return rows.map((row) => ({ ...row, id: BigInt(row.id), runId: BigInt(row.runId) }))
  })
