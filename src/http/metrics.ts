import { Registry } from 'prom-client'
import type { Pool } from '../db/pool.ts'
import { createDatabaseGauges, type ReadMeasurements } from './metrics/database.ts'
import { createGraphqlMetrics } from './metrics/graphql.ts'
import { createJobMetrics } from './metrics/jobs.ts'
import { createProcessMetrics, type ClockView } from './metrics/process.ts'
import type { Streams } from './streams.ts'

type Parts = { pool: Pool; streams: Streams; clock: ClockView; readMeasurements: ReadMeasurements }

/** What Prometheus reads at /metrics, each area in a file of its own. The number of series is bounded. */
export function createMetrics({ pool, streams, clock, readMeasurements }: Parts) {
  const registry = new Registry()
  createProcessMetrics(registry, pool, streams, clock)
  createDatabaseGauges([registry], readMeasurements)
  return { registry, ...createGraphqlMetrics([registry]), ...createJobMetrics([registry]) }
}

export type Metrics = ReturnType<typeof createMetrics>
