import { systemClock, type Clock, type JobResult, type PgBoss } from 'pg-boss'
import { failureOf } from '../../domain/queue/failure.ts'
import { reason, withLogFields, type Log } from '../../log.ts'
import type { Job, Services } from '../kit.ts'
import { within } from '../../within.ts'
import { runAttempt, ShutdownError, type Claim, type Handler } from './attempt.ts'
import { startBoss } from './boss.ts'
import { deadLetterHandler } from './dead-letter.ts'
import { readPayload, type Outcome } from './outcome.ts'
import { readRetryLimit, settle } from './settle.ts'
import { workQueue } from './work.ts'

/** What is told of each attempt, for the metrics. */
export type Observation = { queue: string; outcome: Outcome['kind']; seconds: number }

export type WorkersOptions = {
  services: Services
  log: Log
  jobs: Job[]
  /** Time and timers; tests drive them. */
  clock?: Clock
  observe?: (observation: Observation) => void
}

export type Workers = AsyncDisposable & { boss: PgBoss }

/** Beyond the deadline, for writing down that jobs were handed back. */
const handBackMs = 1_000

/**
 * Works every queue until disposed of. Then no new job begins; those that run have `FRESHET_SHUTDOWN_SECONDS` to finish or to
 * reach a safe point, and are handed back after that without having cost an attempt.
 */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { services, log, jobs, clock = systemClock, observe = () => {} } = options
  const stopping = new AbortController()
  const deadline = new AbortController()
  const handlers = jobs.flatMap((job) => [jobHandler(job), deadLetterHandler(job)])
  const boss = await startBoss({ url: services.directUrl, log, clock, connections: connectionsFor(handlers) })

  const handle = async (handler: Handler, claim: Claim): Promise<JobResult> => {
    const started = clock.now()
    const parts = { services, log, clock, stopping: stopping.signal, deadline: deadline.signal }
    try {
      const limit = await readRetryLimit(services.pool, claim, handler.options.retryDelays)
      const outcome = await runAttempt(handler, claim, limit, parts)
      tell(log, handler, outcome)
      observe({ queue: handler.name, outcome: outcome.kind, seconds: (clock.now() - started) / 1000 })
      return await settle(services.pool, clock, claim, outcome)
    } catch (error) {
      log.warn({ error: reason(error) }, 'the end of an attempt was not written')
      return { id: claim.id, status: 'failed', output: failureOf(error) }
    }
  }
  for (const handler of handlers)
    await workQueue(boss, handler, (claim) => withLogFields(handler.names(claim), () => handle(handler, claim)))

  const stop = async () => {
    stopping.abort(new ShutdownError('The process is stopping.'))
    const seconds = services.config.shutdownSeconds
    const cut = setTimeout(() => deadline.abort(new ShutdownError('The process can wait no longer.')), seconds * 1000)
    const idle = Promise.all(handlers.map(({ name }) => boss.offWork(name, { wait: true })))
    await within(seconds * 1000 + handBackMs, idle, () => {})
    clearTimeout(cut)
    // Nothing is left to wait for; a database that does not answer must not keep the process either.
    await within(handBackMs, boss.stop({ graceful: false }), () => {})
  }
  let stopped: Promise<void> | undefined
  return { boss, [Symbol.asyncDispose]: () => (stopped ??= stop()) }
}

/** The payload is read again here: an older program may have written it. */
export function jobHandler<Payload>(job: Job<Payload>): Handler {
  return {
    name: job.name,
    options: job.options,
    names: ({ id }) => ({ queue: job.name, jobId: id }),
    work: (context, claim) => job.work({ ...context, payload: readPayload(job, claim.data) }),
  }
}

function tell(log: Log, { isDeadLetter }: Handler, outcome: Outcome): void {
  const what = isDeadLetter ? 'a dead letter' : 'a job'
  const fields = { outcome: outcome.kind }
  if ('error' in outcome) log.warn({ ...fields, err: outcome.error }, `${what} failed`)
  else log.debug({ ...fields, ...('reason' in outcome ? { reason: outcome.reason } : {}) }, `${what} ended`)
}

/** One for every two that fetch or settle at once, with room for supervising; LISTEN has one more. */
function connectionsFor(handlers: Handler[]): number {
  const workers = handlers.reduce((sum, { options }) => sum + (options.concurrency ?? 1), 0)
  return Math.min(12, 3 + Math.ceil(workers / 2))
}
