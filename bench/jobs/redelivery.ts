import { sendJob } from '../../test/support/send-job.ts'
import { startWorkers } from '../../src/jobs/kit/workers.ts'
import { startWorkerProcess } from '../../test/support/worker-process.ts'
import { trialJob, type Stand } from './stand.ts'

/** From kill -9 of a worker to the start of its job in another. */
export async function measureRedelivery({ services, log }: Stand) {
  await using doomed = startWorkerProcess(services.directUrl)
  while (!doomed.url()) await new Promise((next) => setTimeout(next, 20))
  const again = Promise.withResolvers<void>()
  const job = trialJob('hold', {}, async () => again.resolve())
  await sendJob(services.pool, job, { number: 1 })
  while (!doomed.said('holding')) await new Promise((next) => setTimeout(next, 5))
  await using _workers = await startWorkers({ services, log, jobs: [job] })
  doomed.kill('SIGKILL')
  await doomed.ended
  const killed = performance.now()
  await again.promise
  const seconds = (performance.now() - killed) / 1000
  console.log(`redelivery: ${seconds.toFixed(1)} s after kill -9`)
  return { redeliverySeconds: Number(seconds.toFixed(1)) }
}
