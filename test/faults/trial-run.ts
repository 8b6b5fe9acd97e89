import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { runLockClass } from '../../src/domain/runs/run.ts'
import { defineJob } from '../../src/jobs/kit.ts'
import { workRun } from '../../src/jobs/kit/run.ts'

const steps = 10

/** A run of ten steps under a lock, which takes about a second. */
export const trial = defineJob({
  name: 'trial',
  payload: z.object({ number: z.number() }),
  options: { retryDelays: Array<number>(20).fill(1), expireInSeconds: 60, concurrency: 4 },
  work: (context) =>
    workRun(
      context,
      { kind: 'FEED', trigger: 'MANUAL', lock: { lockClass: runLockClass.feed, lockId: context.payload.number } },
      async (run) => {
        for (let step = 1; step <= steps; step++) {
          await run.stage(`STEP_${step}`)
          await run.transaction(async () => {
            await run.progress({ rows: 1 })
            await run.sampleError({ code: 'TRIAL', message: `Step ${step}.`, line: step })
          })
          await pause(100)
        }
      },
    ),
})

/** Every run, the number of its events, and whether it is what an undisturbed run would have left. */
export const readTrials = `
  select r.id::text, r.event_count as events, r.status = 'SUCCEEDED' and r.counters = '{"rows": 10}' and r.error_count = 10
    and (select count(*) from freshet.run_errors e where e.run_id = r.id) = 10
    and (select array_agg(e.number order by e.number) from freshet.run_events e where e.run_id = r.id)
      = array(select generate_series(1, r.event_count)) as is_equal
  from freshet.runs r order by r.id`
