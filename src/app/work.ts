import { readClock } from '../domain/schedules/clock.ts'
import type { Metrics } from '../http/metrics.ts'
import { startClockWatch, type ClockWatch } from '../jobs/clock/watch.ts'
import { startClock } from '../jobs/clock/beat.ts'
import type { Job } from '../jobs/kit.ts'
import { arrangeDriver, describeDriver } from '../jobs/clock/driver.ts'
import { prepareQueues } from '../jobs/kit/prepare.ts'
import { startWorkers } from '../jobs/kit/workers.ts'
import type { Store } from './store.ts'

export type Work = AsyncDisposable & {
  clock: ClockWatch
  metrics: Metrics
  /** Who drives the schedules, for people. */
  schedules: string
}

/**
 * Makes the queues, settles who drives the schedules, and watches the clock; where the role works jobs, offers to drive and works
 * them. `measure` makes the metrics as soon as there is a clock for them to show, for workers tell them of each attempt.
 */
export async function startWork(services: Store, jobs: Job[], measure: (clock: ClockWatch) => Metrics): Promise<Work> {
  const { pool, config, log } = services
  const isWorker = config.role !== 'api'
  await using starting = new AsyncDisposableStack()
  await prepareQueues(pool, jobs)
  const pgCron = await arrangeDriver(config, services)
  if (isWorker) starting.use(await startClock(pool, log))
  const schedules = describeDriver(config.role, pgCron, await readClock(pool))
  const clock = starting.use(await startClockWatch(pool, log))
  const metrics = measure(clock)
  if (isWorker) starting.use(await startWorkers({ services, log, jobs, observe: metrics.observeJob }))
  const running = starting.move()
  return { clock, metrics, schedules, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
