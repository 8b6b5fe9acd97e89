import type { RunStatus } from '../../db/generated/client/enums.ts'
import { readQuery } from '../../db/query.ts'
import { workWatched } from '../../db/run-watch.ts'
import { connectRun, readLockHolder, takeRunLock, type RunConnection } from '../../db/run-lock.ts'
import { queryRows } from '../../db/sql.ts'
import { reason, type Log } from '../../log.ts'
import { sqlRefusal } from '../sql-codes.ts'
import { CancelJob, PermanentError, SnoozeJob } from '../queue/job-error.ts'
import { runContext, type RunContext } from './context.ts'
import { failRun } from './fail-run.ts'
import { findRun, findRunOfJob } from './find-run.ts'
import { nameRun, tellEnds } from './run-log.ts'
import { runFailureOf } from './failure.ts'
import type { Admit, RunFacts, RunRequest, RunServices } from './run.ts'

/**
 * How an attempt at a run went: done; its run had ended before; another run is at work, and this job has no run (so it is not
 * needed) or has one (so it must wait its turn, as where no run is at work but the lock is not free yet); the job was taken away
 * before the run began.
 */
export type RunOutcome = 'finished' | 'already-ended' | 'lock-busy' | 'wait' | 'taken-away'

/** What an attempt needs to know of its job; a job's context has it all. */
type Job = RunServices & {
  isLastAttempt: boolean
  /** Aborted when the job is no longer this attempt's. */
  signal: AbortSignal
  /** Aborted when the process is to stop; work that reached a safe point throws its reason. */
  stopping: AbortSignal
  /** How often to look whether the connection still lives. */
  watchMs?: number
  /** How long to wait for a lock that is about to be free. */
  lockMs?: number
}
type Started = { runId: string; status: RunStatus; attempt: number }

const startRun = readQuery('start_run')

/**
 * Makes one attempt at the run of a job: takes its lock, starts it (a retry from scratch), does the work and ends it, all on
 * one connection. When that is lost, or the job taken away, this fails at once and nothing is written any more.
 */
export async function executeRun(
  run: RunRequest,
  job: Job,
  work: (context: RunContext) => Promise<unknown>,
): Promise<RunOutcome> {
  job.signal.throwIfAborted()
  await using connection = await connectRun(job.directUrl, run.jobId, job.log)
  return await workWatched(connection, job, () => attempt(connection, run, job, work))
}

async function attempt(
  connection: RunConnection,
  run: RunRequest,
  job: Job,
  work: (context: RunContext) => Promise<unknown>,
): Promise<RunOutcome> {
  const { client } = connection
  const { lockClass, lockId } = run.lock
  if (!(await takeRunLock(connection, run.lock, job.lockMs))) return whenBusy(connection, run, job.log)
  const { kind, trigger, sourceId } = 'admit' in run ? await admit(connection, run.admit, job) : run
  const values = [run.jobId, kind, trigger, sourceId ?? null, lockClass, lockId, job.now()]
  const started = await start(connection, values)
  if (started === 'taken-away') {
    job.log.info({ event: 'RUN_NOT_STARTED' }, 'the job was taken away before its run began')
    return started
  }
  nameRun({ ...started, sourceId })
  if (started.status !== 'RUNNING') return 'already-ended'
  const context = runContext(connection, started, job.now)
  job.log.info({ event: 'RUN_START', kind, trigger, workerPid: process.pid }, 'a run begins')
  try {
    await work(context)
    if (client.getTransactionStatus() !== 'I') throw new Error('The work of the run left its transaction open.')
    const outcome = await end(connection, started, context)
    if (outcome === 'finished') await tellEnds(client, [started.runId], job.log)
    return outcome
  } catch (error) {
    // Also asks whether the connection is still there: a statement may fail a moment before the loss is noticed.
    await client.query('rollback').catch(() => {})
    connection.signal.throwIfAborted()
    await failed(connection, started, job, error)
    throw error
  }
}

/** Where a later attempt is not admitted, the run that an earlier one began ends here: no other attempt would end it. */
async function admit(connection: RunConnection, ask: Admit, job: Job): Promise<RunFacts> {
  const { client, jobId } = connection
  try {
    return await ask(client, jobId)
  } catch (error) {
    await client.query('rollback').catch(() => {})
    connection.signal.throwIfAborted()
    const own = await findRunOfJob(client, jobId)
    if (own?.status === 'RUNNING') await failed(connection, own, job, error)
    throw error
  }
}

async function start({ client }: RunConnection, values: unknown[]): Promise<Started | 'taken-away'> {
  try {
    const [started] = await queryRows<Started>(client, startRun, values)
    if (!started) throw new Error('No run was started or found.')
    return started
  } catch (error) {
    if (sqlRefusal(error)?.code === 'FR023') return 'taken-away'
    throw error
  }
}

async function whenBusy(connection: RunConnection, run: RunRequest, log: Log): Promise<RunOutcome> {
  const { client, jobId } = connection
  const own = await findRunOfJob(client, jobId)
  if (!own) {
    // Who makes no run, or has ended it, does not do what this job was asked for.
    if ((await readLockHolder(connection, run.lock)) !== 'OTHER') return 'wait'
    log.debug(
      { event: run.busyEvent ?? 'SKIPPED_LOCK_BUSY', ...run.lock, ...('trigger' in run && { trigger: run.trigger }) },
      'another run is at work: this job is not needed',
    )
    return 'lock-busy'
  }
  return own.status === 'RUNNING' ? 'wait' : 'already-ended'
}

/** Work that has to be one with its end has finished the run itself. */
async function end({ client }: RunConnection, { runId, attempt }: Started, context: RunContext): Promise<RunOutcome> {
  const now = await findRun(client, runId)
  if (now?.status === 'RUNNING') await context.finish()
  else if (now?.status !== 'SUCCEEDED' || now.attempt !== attempt) return 'already-ended'
  return 'finished'
}

/** Ends the run if no later attempt can. Where that fails, the dead letter handler or the reaper ends it. */
async function failed({ client }: RunConnection, { runId, attempt }: Started, job: Job, error: unknown) {
  const isFinal = error instanceof PermanentError || error instanceof CancelJob
  const isPutBack = error instanceof SnoozeJob || (job.stopping.aborted && error === job.stopping.reason)
  const isLast = job.isLastAttempt && !isPutBack
  if (!isFinal && !isLast) return
  try {
    await failRun(client, { runId, attempt }, runFailureOf(error), job)
  } catch (why) {
    job.log.warn({ error: reason(why) }, 'a failed run could not be ended by its own attempt')
  }
}
