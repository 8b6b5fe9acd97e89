import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

type Pace = { stepMs: number; pauseMs: number }

const stages = ['DOWNLOAD', 'PARSE', 'STAGE', 'EVALUATE', 'PROMOTE']
const stepsAStage = 15
const source = 'Alpine via Awin'

/**
 * Plays the run of a feed over and over, through the same SQL functions that real runs use, so that there is always one to
 * watch live. Nothing is fetched and no offer is written. Ends when the demo does; the run of that moment fails, saying so.
 */
export async function playRuns(directUrl: string, signal: AbortSignal, pace: Partial<Pace> = {}): Promise<void> {
  const { stepMs = 300, pauseMs = 5_000 } = pace
  const client = new pg.Client({ connectionString: directUrl, application_name: 'freshet demo' })
  client.on('error', () => {}) // the database may stop first
  await client.connect()
  const { rows } = await client.query<{ id: string }>('select id from freshet.sources where name = $1', [source])
  try {
    while (!signal.aborted) {
      await playRun(client, rows[0]?.id, stepMs, signal)
      await wait(pauseMs, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await client.end().catch(() => {})
  }
}

async function playRun(client: pg.Client, sourceId: string | undefined, stepMs: number, signal: AbortSignal) {
  const started = await client.query<{ run_id: string }>(
    "select run_id from freshet.start_run($1, 'FEED', 'SCHEDULED', $2, null, null, now())",
    [randomUUID(), sourceId],
  )
  const runId = started.rows[0]?.run_id
  try {
    for (const stage of stages) {
      await client.query('select freshet.set_run_stage($1, 1, $2, now())', [runId, stage])
      for (let step = 1; step <= stepsAStage; step++) {
        await wait(stepMs, undefined, { signal })
        await client.query('select freshet.add_run_progress($1, 1, $2, now())', [runId, countersOf(stage, step)])
      }
    }
    const error =
      "select freshet.sample_run_error($1, 1, 'PRICE_MISSING', 'There is no price.', now(), 42, 'SKU-42', '{}')"
    await client.query(error, [runId])
    await client.query('select freshet.finish_run($1, 1, now())', [runId])
  } catch (error) {
    const fail = 'select freshet.fail_run($1, null, $2, $3, $4, now(), false)'
    const words = ['DEMO_STOPPED', 'The demo was stopped.', 'Start it again: it plays a new run.']
    await client.query(fail, [runId, ...words]).catch(() => {})
    throw error
  }
}

const countersOf = (stage: string, step: number) =>
  stage === 'DOWNLOAD' ? { bytes: 65_536 * step } : stage === 'PARSE' ? { rows: 500 + step } : { offers: 100 }
