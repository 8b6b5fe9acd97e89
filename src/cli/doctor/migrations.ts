import queueManifest from 'pg-boss/package.json' with { type: 'json' }
import { describePlan, planMigration } from '../../db/migrate/migrate.ts'
import type { Database } from '../../db/open.ts'
import { fail, failFrom, ok, warn, type Finding } from './finding.ts'

const shownLines = 5

/** Whether the database, and the queue in it, are where this program needs them. */
export async function checkMigrations({ directUrl, isEmbedded }: Database, migrates: boolean): Promise<Finding[]> {
  try {
    const plan = await planMigration(directUrl)
    return [judgePending(describePlan(plan), isEmbedded && migrates), judgeQueue(plan.queue)]
  } catch (error) {
    return [failFrom('migrations', error, 'Use the program and the database that belong together.')]
  }
}

function judgePending(pending: string[], runByStart: boolean): Finding {
  if (pending.length === 0) return ok('migrations', 'up to date')
  const shown = pending.slice(0, shownLines).map((line) => `  ${line}`)
  const more = pending.length > shownLines ? [`  and ${pending.length - shownLines} more`] : []
  const message = [`${pending.length} pending:`, ...shown, ...more].join('\n')
  // An embedded database belongs to this program alone, which brings it up to date when it starts.
  if (runByStart) return warn('migrations', message, 'The next start runs them; "freshet migrate" does so now.')
  return fail(
    'migrations',
    message,
    'Run "freshet migrate" as the role that owns the schemas; --dry-run lists them all.',
  )
}

function judgeQueue(queue: { from: number | null; to: number } | null): Finding {
  if (queue === null) return ok('queue', `schema version ${queueManifest.pgboss.schema}`)
  const found = queue.from === null ? 'not installed' : `schema version ${queue.from}`
  return warn('queue', `${found}, this program needs ${queue.to}`, 'Run "freshet migrate".')
}
