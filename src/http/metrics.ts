import { getOperationAST, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Pool } from '../db/pool.ts'
import type { ErrorCode } from '../domain/error-codes.ts'
import type { Streams } from './streams.ts'

const maxOperationNames = 100
const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** What Prometheus reads at /metrics. The number of series is bounded: a client chooses its operation names. */
export function createMetrics(pool: Pool, streams: Streams) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const duration = new Histogram({
    name: 'freshet_graphql_operation_duration_seconds',
    help: 'Time to answer a GraphQL operation.',
    labelNames: ['type', 'name', 'outcome'],
    buckets: seconds,
    registers: [registry],
  })
  const errors = new Counter({
    name: 'freshet_graphql_errors_total',
    help: 'GraphQL errors sent to clients.',
    labelNames: ['code'],
    registers: [registry],
  })
  new Gauge({
    name: 'freshet_db_pool_connections',
    help: 'Connections of the request pool by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
    },
  })
  new Gauge({
    name: 'freshet_db_pool_waiting',
    help: 'Requests that wait for a connection.',
    registers: [registry],
    collect() {
      this.set(pool.waitingCount)
    },
  })
  new Gauge({
    name: 'freshet_subscribers',
    help: 'Subscriptions open now.',
    registers: [registry],
    collect() {
      this.set(streams.size)
    },
  })

  const names = new Set<string>()
  const boundedName = (name: string | undefined) => {
    if (name === undefined) return 'anonymous'
    if (names.size < maxOperationNames) names.add(name)
    return names.has(name) ? name : 'other'
  }
  return {
    registry,
    /** Begins to time an operation; call the answer with its result. */
    startOperation({ document, operationName }: ExecutionArgs): (result: ExecutionResult) => void {
      const operation = getOperationAST(document, operationName)
      const stop = duration.startTimer({
        type: operation?.operation ?? 'unknown',
        name: boundedName(operation?.name?.value),
      })
      return ({ errors: failures }) => stop({ outcome: failures?.length ? 'error' : 'ok' })
    },
    countError(code: ErrorCode): void {
      errors.inc({ code })
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
