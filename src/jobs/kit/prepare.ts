import pg from 'pg'
import { queryRows, type Sql } from '../../db/sql.ts'
import { jobs as ownJobs } from '../index.ts'
import { deadLetterOptions } from './dead-letter.ts'
import { deadQueueOf, type Job, type JobOptions } from '../kit.ts'

/** Beyond the kit's own limit, for when the process is too busy or too dead to keep it. */
const expiryGraceSeconds = 10
const daySeconds = 86_400

/**
 * Creates every queue and its dead letter queue, and brings the settings of those that exist up to date. Any number of
 * processes may do so at once, as a role without the right to change tables. Answers the names of those that changed.
 */
export async function prepareQueues(sql: Sql, jobs: Job[] = ownJobs): Promise<string[]> {
  const changed: string[] = []
  for (const [name, settings] of jobs.flatMap(settingsOf)) {
    const [row] = await queryRows<{ changed: boolean }>(sql, 'select freshet.prepare_queue($1, $2::jsonb) as changed', [
      name,
      JSON.stringify(settings),
    ])
    if (row?.changed) changed.push(name)
  }
  return changed
}

/** The same on a connection of its own, for `freshet migrate` and for the tests' template. */
export async function prepareQueuesAt(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'freshet migrate' })
  await client.connect()
  try {
    await prepareQueues(client)
  } finally {
    await client.end()
  }
}

/** A queue and its dead letter queue, which comes first, because the other names it. */
const settingsOf = ({ name, options }: Job): [string, object][] => [
  [deadQueueOf(name), inBossWords(deadLetterOptions)],
  [name, { ...inBossWords(options), deadLetter: deadQueueOf(name) }],
]

/** The settings of a queue in pg-boss's words. Waits between attempts are the kit's own, so pg-boss has none. */
const inBossWords = ({
  retryDelays,
  expireInSeconds,
  heartbeatSeconds = 10,
  policy = 'standard',
  keepSeconds = 3 * daySeconds,
}: JobOptions): object => ({
  policy,
  retryLimit: retryDelays.length,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: expireInSeconds + expiryGraceSeconds,
  heartbeatSeconds,
  retentionSeconds: 14 * daySeconds,
  deleteAfterSeconds: keepSeconds,
  notify: true,
})
