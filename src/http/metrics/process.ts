import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import type { Pool } from '../../db/pool.ts'
import type { Streams } from '../streams.ts'

/** The clock of the schedules, as the process last saw it. */
export type ClockView = { lagSeconds: () => number }

/** What this process itself holds: memory and event loop, connections, subscribers. */
export function createProcessMetrics(registry: Registry, pool: Pool, streams: Streams, clock: ClockView): void {
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  // Gauges that call themselves totals, against the convention; the same numbers stand beside them by type.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`)
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
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
}
