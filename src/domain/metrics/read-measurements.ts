import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryWithin } from '../../db/sql.ts'

/** One number that the database knows: which, of what, and how much. */
export type Measurement = { metric: string; first: string; second: string | null; value: number }

const text = readQuery('measurements')
const answerMs = 2_000

/** Reads all numbers that the database knows for the metrics, in one query. */
export async function readMeasurements(pool: Pool, now: Date): Promise<Measurement[]> {
  return queryWithin<Measurement>(pool, answerMs, { name: 'measurements', text, values: [now] })
}
