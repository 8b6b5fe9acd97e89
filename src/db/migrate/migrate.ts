import { reachDatabase } from '../reach.ts'
import { accessDenied, isStatementError, MigrationError } from './errors.ts'
import { readSqlFiles } from './files.ts'
import { comparePlan, describePlan, type MigrationPlan } from './plan.ts'
import { readState } from './state.ts'
import type { OnStep } from './step.ts'

export type { MigrationPlan } from './plan.ts'
export type { MigrationStep } from './step.ts'
export { MigrationError, MigrationFailedError } from './errors.ts'
export { describePlan } from './plan.ts'

type Options = { sqlDir?: string | undefined }

/** What one call of `migrate` did; what another process did meanwhile is not in it. */
export type MigrationReport = {
  queue: { from: number | null; to: number } | null
  migrations: string[]
  applied: string[]
  dropped: string[]
}

/** Says what would run. Writes nothing and waits for nobody; throws on a database that must not be touched. */
export async function planMigration(databaseUrl: string, { sqlDir }: Options = {}): Promise<MigrationPlan> {
  const files = await readSqlFiles(sqlDir)
  await using client = await reachDatabase(databaseUrl, 'freshet migrate')
  return comparePlan(files, await readState(client))
}

/** Throws unless the database is exactly where this program needs it. */
export async function assertMigrated(databaseUrl: string, options: Options = {}): Promise<void> {
  const plan = await planMigration(databaseUrl, options)
  if (plan.isEmpty) return
  const { length } = describePlan(plan)
  throw new MigrationError(
    'MIGRATIONS_PENDING',
    `The database is behind this program: ${length === 1 ? '1 step is' : `${length} steps are`} pending.`,
    {
      hint: 'Run "freshet migrate" as the owner, or set FRESHET_MIGRATE=true; "freshet migrate --dry-run" lists what it would do.',
    },
  )
}

/** `onPlan` hears what is to be done before it begins; where there is nothing to do, it hears nothing. */
type Hearing = Options & { onStep?: OnStep; onPlan?: (plan: MigrationPlan) => void }

/**
 * Brings a database to where the SQL files are: all of it or, if anything fails, nothing. Any number of processes may
 * call it at once. Takes the direct address, not a pooler's: the transaction may be long.
 */
export async function migrate(
  databaseUrl: string,
  { sqlDir, onStep = () => {}, onPlan = () => {} }: Hearing = {},
): Promise<MigrationReport> {
  const files = await readSqlFiles(sqlDir)
  const report: MigrationReport = { queue: null, migrations: [], applied: [], dropped: [] }
  await using client = await reachDatabase(databaseUrl, 'freshet migrate')
  // Nothing to do is the usual case: it needs neither the lock nor the right to write, nor the modules that migrate.
  const plan = comparePlan(files, await readState(client))
  if (plan.isEmpty) return report
  onPlan(plan)
  const { migrateOnce } = await import('./transaction.ts')
  try {
    while (!(await migrateOnce(client, files, report, onStep)));
    return report
  } catch (error) {
    await client.query('rollback').catch(() => {}) // a connection that is gone has rolled back already
    if (isStatementError(error) && error.code === '42501') throw accessDenied(error.message, error)
    throw error
  }
}
