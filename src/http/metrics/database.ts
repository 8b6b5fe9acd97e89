import { Gauge, type Registry } from 'prom-client'
import type { Measurement } from '../../domain/metrics/read-measurements.ts'
import { within } from '../../within.ts'
import { boundedNames } from './names.ts'

/** Reads what the database knows; fails when it does not answer. */
export type ReadMeasurements = () => Promise<Measurement[]>

type Options = { keepMs?: number; patienceMs?: number; now?: () => number }

const maxQueues = 20
const gauges = [
  {
    metric: 'queue_jobs',
    name: 'freshet_queue_jobs',
    help: 'Jobs by queue and state: waiting (could start), delayed, active, failed (still kept), dead (letters).',
    labels: ['queue', 'state'],
  },
  {
    metric: 'queue_oldest_job_age_seconds',
    name: 'freshet_queue_oldest_job_age_seconds',
    help: 'How long the oldest job of a queue has been waiting since it could start, or active; 0 if there is none.',
    labels: ['queue', 'state'],
  },
  {
    metric: 'runs',
    name: 'freshet_runs',
    help: 'Runs by kind and status: those that run now, and those that ended within the last 24 hours.',
    labels: ['kind', 'status'],
  },
  {
    metric: 'open_alerts',
    name: 'freshet_open_alerts',
    help: 'Alerts that are not resolved, by severity.',
    labels: ['severity'],
  },
] as const

/**
 * What the database knows, the same in every process. All of it is one query, asked at most every 5 s however often somebody
 * scrapes. When the database does not answer in time these series are left out and `freshet_database_up` is 0: a scrape never
 * fails for it, and no old number looks like a new one.
 */
export function createDatabaseGauges(registers: Registry[], read: ReadMeasurements, options: Options = {}): void {
  const { keepMs = 5_000, patienceMs = 2_000, now = () => performance.now() } = options
  const bounded = boundedNames(maxQueues)
  let latest: { at: number; rows: Promise<Measurement[] | undefined> } | undefined
  const measure = () => {
    if (!latest || now() - latest.at >= keepMs) {
      // Nothing instead of a failure, or of an answer that takes too long.
      const rows = within(
        patienceMs,
        read().catch(() => undefined),
        () => undefined,
      )
      latest = { at: now(), rows }
    }
    return latest.rows
  }
  new Gauge({
    name: 'freshet_database_up',
    help: 'Whether the database answered when it was last asked for the numbers of this page.',
    registers,
    async collect() {
      this.set((await measure()) ? 1 : 0)
    },
  })
  for (const { metric, name, help, labels } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers,
      async collect() {
        const rows = await measure()
        this.reset()
        for (const row of rows ?? []) {
          if (row.metric !== metric) continue
          const values = [labels[0] === 'queue' ? bounded(row.first) : row.first, row.second ?? '']
          this.inc(Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ''])), row.value)
        }
      },
    })
  }
}
