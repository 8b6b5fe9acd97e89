import { readQuery } from '../../db/query.ts'
import { queryRows, type Sql } from '../../db/sql.ts'
import type { RunEvent } from './event.ts'

/** How fast the present stage of a run goes, and how long it may still take. */
export type Pace = {
  bytes: number
  totalBytes: number | null
  bytesPerSecond: number
  rows: number | null
  rowsPerSecond: number | null
  percent: number | null
  secondsLeft: number | null
}

/** What stages count as done, and of how much. */
const measures: Record<string, { done: string; total: string; rows?: string }> = {
  DOWNLOAD: { done: 'downloadBytes', total: 'downloadTotal' },
  PARSE: { done: 'bytesParsed', total: 'downloadBytes', rows: 'rowsRead' },
}

/** The pace of a run at one of its events, by the time since its stage began; nothing where a stage has no measure. */
export function paceOf(
  { stage, counters, at }: Pick<RunEvent, 'stage' | 'counters' | 'at'>,
  stageAt: Date,
): Pace | null {
  const measure = stage === null ? undefined : measures[stage]
  const seconds = (at.getTime() - stageAt.getTime()) / 1000
  if (!measure || seconds <= 0) return null
  const counted = counters as Record<string, number | undefined>
  const bytes = counted[measure.done] ?? 0
  const totalBytes = counted[measure.total] ?? null
  const rows = measure.rows === undefined ? null : (counted[measure.rows] ?? 0)
  const isKnown = totalBytes !== null && bytes > 0
  return {
    bytes,
    totalBytes,
    bytesPerSecond: bytes / seconds,
    rows,
    rowsPerSecond: rows === null ? null : rows / seconds,
    percent: isKnown ? Math.min(100, (100 * bytes) / totalBytes) : null,
    secondsLeft: isKnown ? Math.max(0, ((totalBytes - bytes) * seconds) / bytes) : null,
  }
}

/** A place in the story of a run: the number of one of its events. */
export type Place = { runId: bigint; number: number }

const stageStarts = readQuery('stage_starts')

/** When the stage began that each run was in at its place, in the order asked for; null where none had begun. */
export async function readStageStarts(sql: Sql, places: readonly Place[]): Promise<(Date | null)[]> {
  const values = [places.map(({ runId }) => runId), places.map(({ number }) => number)]
  return (await queryRows<{ at: Date | null }>(sql, stageStarts, values)).map(({ at }) => at)
}
