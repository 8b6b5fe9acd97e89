import { Counter, Histogram, type Registry } from 'prom-client'
import { boundedNames } from './names.ts'

/** What a worker tells of each attempt at a job. */
export type JobObservation = { queue: string; outcome: string; seconds: number }

const maxQueues = 20
const seconds = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200]

/** How long attempts at jobs take in this process, and how they end. */
export function createJobMetrics(registers: Registry[]): { observeJob: (observation: JobObservation) => void } {
  const duration = new Histogram({
    name: 'freshet_job_duration_seconds',
    help: 'Time that an attempt at a job took, however it ended.',
    labelNames: ['queue'],
    buckets: seconds,
    registers,
  })
  const attempts = new Counter({
    name: 'freshet_jobs_total',
    help: 'Attempts at jobs by how they ended: done, cancelled, snoozed, retried, failed (for good), handed-back, lost.',
    labelNames: ['queue', 'outcome'],
    registers,
  })
  const bounded = boundedNames(maxQueues)
  return {
    observeJob({ queue: name, outcome, seconds }) {
      const queue = bounded(name)
      duration.observe({ queue }, seconds)
      attempts.inc({ queue, outcome })
    },
  }
}
