import type { Command } from 'commander'
import type { MigrationPlan, MigrationReport } from '../db/migrate/migrate.ts'
import type { Run } from './context.ts'
import { print } from './print.ts'

const help = `
Examples:
  freshet migrate --dry-run         lists what would run, changes nothing
  freshet migrate                   brings the database to where this program needs it

All of it runs in one transaction: a failure leaves the database as it was. Then queues get their settings, and pg_cron, where it
can be had, its job.`

/** `freshet migrate`: brings the database up to date, or says what that would take. */
export function addMigrate(program: Command, run: Run): void {
  program
    .command('migrate')
    .description('bring the database up to date')
    .option('--dry-run', 'only list what would run')
    .addHelpText('after', help)
    .action(
      run(async (context, { dryRun = false }: { dryRun?: boolean }) => {
        const { withDatabase } = await import('./connect.ts')
        const { migrate, planMigration } = await import('../db/migrate/migrate.ts')
        await withDatabase(context, async ({ config, database: { directUrl } }) => {
          const plan = await planMigration(directUrl)
          const { describePlan } = await import('../db/migrate/plan.ts')
          if (dryRun) return print(context, tell('Would run', describePlan(plan)), { dryRun, ...planned(plan) })
          const onStep = ({ kind }: { kind: string }) => {
            if (kind === 'wait' && !context.json) context.err.write('Waiting for another process that migrates.\n')
          }
          const report = await migrate(directUrl, { onStep })
          const { prepareQueuesAt } = await import('../jobs/kit/prepare.ts')
          await prepareQueuesAt(directUrl)
          const { changeJob, describeDriver } = await import('../jobs/clock/driver.ts')
          const pgCron = await changeJob(config.database.pgCron, directUrl)
          const schedules = describeDriver('api', pgCron)
          print(context, `${tell('Ran', describeReport(report))}\nSchedules: ${schedules}.`, {
            dryRun,
            ...report,
            pgCron,
          })
        })
      }),
    )
}

function tell(verb: string, lines: string[]): string {
  if (lines.length === 0) return 'Nothing to do: the database is up to date.'
  return [`${verb}:`, ...lines.map((line) => `  ${line}`)].join('\n')
}

/** A plan in the shape of the report that carrying it out would give. */
function planned({ queue, migrations, replaceables, drops }: MigrationPlan): MigrationReport {
  return {
    queue,
    migrations: migrations.map(({ name }) => name),
    applied: replaceables.map(({ file }) => file.path),
    dropped: drops,
  }
}

function describeReport({ queue, migrations, applied, dropped }: MigrationReport): string[] {
  return [
    ...(queue
      ? [queue.from === null ? `installed queue ${queue.to}` : `upgraded queue ${queue.from} to ${queue.to}`]
      : []),
    ...migrations.map((name) => `ran migrations/${name}.sql`),
    ...applied.map((path) => `applied ${path}`),
    ...dropped.map((object) => `dropped ${object}`),
  ]
}
