import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'pg-boss'
import { feedIngestOf } from '../../src/jobs/feed-ingest.ts'
import { startWorkers } from '../../src/jobs/kit/workers.ts'
import type { TestDatabase } from './database.ts'
import { feedEnvironment, remainsOf, type FeedBase } from './feed-base.ts'
import { leavingsOf, type Leavings } from './feed-leavings.ts'
import { startFeedWorker, type FeedWorker } from './feed-worker.ts'
import { openJobs } from './jobs.ts'
import { startWire, type Step } from './wire.ts'

/** Where a worker dies: when so many bytes of the file are asked for, or at a step of its run's talk with Postgres. */
export type Point =
  | { at: 'download'; bytes: number }
  /** `afterMs`: so long after the step was passed on; without it, the step is held back for ever. */
  | { at: 'wire'; is: (step: Step) => boolean; afterMs?: number }

type Death = {
  /** What the run was at when its worker died; nothing where it ended before it came to that point. */
  stage: string | null
  status: string | undefined
  leavings: Leavings
  runs: number
  jobState: string
  remains: string[]
  filesLeft: string[]
  attempts: number
}

/** Kills workers of the feed's third run at a point, lets another one go on, and tells what is left. */
export async function openDeaths(base: FeedBase) {
  await using opening = new AsyncDisposableStack()
  const { pool: _, ...first } = opening.use(await base.copy())
  const wire = opening.use(await startWire(first.url))
  const dir = await mkdtemp(join(tmpdir(), 'freshet-deaths-'))
  opening.defer(() => rm(dir, { recursive: true, force: true }))
  let next = startFeedWorker()
  opening.defer(() => next[Symbol.asyncDispose]())
  const takeWorker = (): FeedWorker => {
    const worker = next
    next = startFeedWorker()
    return worker
  }
  const { feed, server, chunkSize } = base

  const request = async ({ pool }: TestDatabase): Promise<string> => {
    const sql = 'select job_id from freshet.request_feed_run($1, true, now())'
    return (await pool.query<{ job_id: string }>(sql, [feed.id])).rows[0]!.job_id
  }
  /** Works the queue in this process until the job has ended, however often it takes. */
  const workOff = async (database: TestDatabase, jobId: string): Promise<number> => {
    const job = feedIngestOf(chunkSize)
    await using jobs = await openJobs(database, [job], { env: feedEnvironment(dir) })
    const { services, logger: log } = jobs
    const { promise: ended, resolve: end } = Promise.withResolvers<string>()
    let attempts = 0
    {
      await using workers = await startWorkers({
        services,
        log,
        jobs: [job],
        clock: systemClock,
        observe: ({ outcome }) => {
          attempts++
          if (outcome !== 'retried' && outcome !== 'snoozed') end(outcome)
        },
      })
      const { pool } = database
      const lost =
        "update pgboss.job set heartbeat_on = heartbeat_on - interval '1 hour' where id = $1 and state = 'active'"
      await pool.query(lost, [jobId])
      // Whoever died may have looked after the queue a moment ago, and it is not looked at twice within a few seconds.
      await pool.query('update pgboss.queue set monitor_on = null, monitor_claim_on = null where name = $1', [job.name])
      await workers.boss.supervise(job.name)
      const { rowCount } = await pool.query("select from pgboss.job where id = $1 and state <= 'active'", [jobId])
      await pool.query('select freshet.wake_queue($1)', [job.name])
      if (rowCount) await ended
    }
    return attempts
  }

  const resources = opening.move()
  return {
    /** What an undisturbed run leaves, and the steps of its talk with Postgres. */
    async undisturbed(): Promise<{ leavings: Leavings; steps: Step[] }> {
      await using database = await base.copy()
      const jobId = await request(database)
      const steps: Step[] = []
      const { promise: over, resolve } = Promise.withResolvers<void>()
      wire.watch((step) => {
        steps.push(step)
        if (step.what === 'goodbye') resolve()
        return 'PASS'
      })
      await using worker = takeWorker()
      worker.begin({ databaseUrl: wire.through(database.url), dir, chunkSize })
      await over
      wire.watch(undefined)
      await worker[Symbol.asyncDispose]()
      await workOff(database, jobId)
      return { leavings: await leavingsOf(database.pool, feed.sourceId), steps }
    },
    async die(point: Point): Promise<Death> {
      await using database = await base.copy()
      const jobId = await request(database)
      await using worker = takeWorker()
      if (point.at === 'download') server.faults.whenAt = { bytes: point.bytes, act: () => void worker.kill() }
      else
        wire.watch((step) => {
          // Where it does not come to that point, it dies when it says goodbye.
          if (!point.is(step) && step.what !== 'goodbye') return 'PASS'
          if (point.afterMs === undefined || step.what === 'goodbye') {
            worker.kill()
            return 'HOLD'
          }
          setTimeout(worker.kill, point.afterMs)
          return 'PASS'
        })
      worker.begin({ databaseUrl: wire.through(database.url), dir, chunkSize })
      await worker.ended
      wire.watch(undefined)
      server.mend()
      const dead = 'select status, stage from freshet.runs where job_id = $1'
      const [run] = (await database.pool.query<{ status: string; stage: string | null }>(dead, [jobId])).rows
      const attempts = await workOff(database, jobId)
      const counted = `select (select count(*)::int from freshet.runs where source_id = $1) as runs,
        (select state::text from pgboss.job where id = $2) as "jobState"`
      const { rows } = await database.pool.query<{ runs: number; jobState: string }>(counted, [feed.sourceId, jobId])
      return {
        stage: run?.stage ?? null,
        status: run?.status,
        leavings: await leavingsOf(database.pool, feed.sourceId),
        ...rows[0]!,
        remains: await remainsOf(database),
        filesLeft: await readdir(join(dir, 'feeds')).catch(() => []),
        attempts,
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
