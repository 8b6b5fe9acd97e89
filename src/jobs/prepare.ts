import pg from 'pg'
import { queryRows, type Sql } from '../db/sql.ts'
import { jobs as ownJobs } from './index.ts'
import { deadDelays } from './kit/dead-letter.ts'
import { deadQueueOf, type Job } from './kit.ts'

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

/** The settings of a queue in pg-boss's words; the dead letter queue comes first, because the other names it. */
function settingsOf({ name, options }: Job): [string, object][] {
  const {
    retryDelays,
    expireInSeconds,
    heartbeatSeconds = 10,
    policy = 'standard',
    keepSeconds = 3 * daySeconds,
  } = options
  const dead = deadQueueOf(name)
  const common = {
    retryDelay: 0,
    retryBackoff: false,
    heartbeatSeconds,
    retentionSeconds: 14 * daySeconds,
    notify: true,
  }
  return [
    [
      dead,
      {
        ...common,
        policy: 'standard',
        retryLimit: deadDelays.length,
        expireInSeconds: 60 + expiryGraceSeconds,
        deleteAfterSeconds: 14 * daySeconds,
      },
    ],
    [
      name,
      {
        ...common,
        policy,
        retryLimit: retryDelays.length,
        expireInSeconds: expireInSeconds + expiryGraceSeconds,
        deleteAfterSeconds: keepSeconds,
        deadLetter: dead,
      },
    ],
  ]
}
