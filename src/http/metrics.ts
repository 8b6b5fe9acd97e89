import { getOperationAST, type ExecutionArgs, type ExecutionResult, type GraphQLError } from 'graphql'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Pool } from '../db/pool.ts'
import type { Streams } from './streams.ts'

const maxOperations = 60
const longestName = 80
const seconds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** What Prometheus reads at /metrics. The number of series is bounded: a client chooses its operation names. */
export function createMetrics(pool: Pool, streams: Streams, clock: { lagSeconds: () => number }) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  // Gauges that call themselves totals, against the convention; the same numbers stand beside them by type.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  const duration = new Histogram({
    name: 'freshet_graphql_operation_duration_seconds',
    help: 'Time to answer a GraphQL operation.',
    labelNames: ['type', 'name'],
    buckets: seconds,
    registers,
  })
  const operations = new Counter({
    name: 'freshet_graphql_operations_total',
    help: 'GraphQL operations answered, by whether their answer holds an error.',
    labelNames: ['type', 'name', 'outcome'],
    registers,
  })
  const errors = new Counter({
    name: 'freshet_graphql_errors_total',
    help: 'GraphQL errors sent to clients.',
    labelNames: ['code'],
    registers,
  })
  new Gauge({
    name: 'freshet_db_pool_connections',
    help: 'Connections of the request pool by state.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
    },
  })
  gauge('freshet_db_pool_max_connections', 'Connections that the request pool may hold.', () => pool.options.max)
  gauge('freshet_db_pool_waiting_requests', 'Requests that wait for a connection.', () => pool.waitingCount)
  gauge('freshet_subscribers', 'Subscriptions open now.', () => streams.size)
  const lagHelp = 'Seconds since the clock of the schedules last ticked; NaN if it never did. Above 165 it is late.'
  gauge('freshet_clock_lag_seconds', lagHelp, clock.lagSeconds)

  function gauge(name: string, help: string, read: () => number) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }

  const known = new Set<string>()
  /** The first names are kept, later ones become one: series cost memory here and in Prometheus for as long as both run. */
  const boundedName = (type: string, name: string | undefined) => {
    if (name === undefined) return 'anonymous'
    if (name.length > longestName || /frs_/.test(name)) return 'other'
    if (known.size < maxOperations) known.add(`${type} ${name}`)
    return known.has(`${type} ${name}`) ? name : 'other'
  }
  return {
    registry,
    /** Begins to time an operation; call the answer with its result. */
    startOperation({ document, operationName }: ExecutionArgs): (result: ExecutionResult) => void {
      const operation = getOperationAST(document, operationName)
      const type = operation?.operation ?? 'unknown'
      const labels = { type, name: boundedName(type, operation?.name?.value) }
      const stop = duration.startTimer(labels)
      return ({ errors: failures }) => {
        stop()
        operations.inc({ ...labels, outcome: failures?.length ? 'error' : 'ok' })
      }
    },
    /** Counts errors as they leave. */
    countErrors(shown: readonly GraphQLError[]): void {
      for (const { extensions } of shown) errors.inc({ code: String(extensions.code) })
    },
  }
}

export type Metrics = ReturnType<typeof createMetrics>
