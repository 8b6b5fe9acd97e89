import type { FailureCode } from '../../failure-codes.ts'
import type { RunErrorSample } from '../../runs/context.ts'
import type { FeedRow } from '../row/feed-row.ts'

/** The most that is kept of each code of a chunk; the run keeps no more either. */
const mostSamples = 100

/** Some rows of a file, the last of each product only, and what was found out about the others. */
export type Chunk = {
  rows: Map<string, FeedRow>
  /** SKUs that rows name as that of their parent. */
  parents: Set<string>
  counters: Record<string, number>
  samples: RunErrorSample[]
  totals: Partial<Record<FailureCode, number>>
  /** How many of the totals are errors; the others are notes. */
  errorCount: number
}

export const newChunk = (): Chunk => ({
  rows: new Map(),
  parents: new Set(),
  counters: {},
  samples: [],
  totals: {},
  errorCount: 0,
})

export const isEmpty = ({ rows, counters }: Chunk): boolean => rows.size === 0 && Object.keys(counters).length === 0

export function count(chunk: Chunk, name: string, more = 1): void {
  chunk.counters[name] = (chunk.counters[name] ?? 0) + more
}

/** Counts something that was wrong with a row, and keeps it as an example while there are few. */
export function note(chunk: Chunk, code: FailureCode, sample: () => Omit<RunErrorSample, 'code'>): void {
  const total = (chunk.totals[code] ?? 0) + 1
  chunk.totals[code] = total
  if (total <= mostSamples) chunk.samples.push({ code, ...sample() })
}

/** The same for an error, which counts. */
export function fault(chunk: Chunk, code: FailureCode, sample: () => Omit<RunErrorSample, 'code'>): void {
  chunk.errorCount += 1
  note(chunk, code, sample)
}

/** Adds a row; the last row of a product wins (S2 §7.5). */
export function addRow(chunk: Chunk, row: FeedRow): void {
  const key = `${row.identity.type} ${row.identity.value}`
  const earlier = chunk.rows.get(key)
  if (earlier) {
    count(chunk, 'duplicateKeyCount')
    note(chunk, 'DUPLICATE_ROW_SAME_IDENTITY', () => ({
      line: row.line,
      item: row.identity.value,
      message: `The same product (${key}) stands in line ${earlier.line}, too; the last row wins.`,
    }))
  }
  chunk.rows.set(key, row)
}
