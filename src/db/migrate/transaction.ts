import type { ClientBase } from 'pg'
import { readQuery } from '../query.ts'
import type { SqlFiles } from './files.ts'
import type { MigrationReport } from './migrate.ts'
import { comparePlan } from './plan.ts'
import { prepareQueue } from './queue.ts'
import { applyReplaceables, checkFunctions } from './replace.ts'
import { runMigrations } from './run-migrations.ts'
import { readState } from './state.ts'
import type { OnStep } from './step.ts'

/**
 * One transaction under the lock: the queue, migrations, functions, views, triggers. It ends early, and has to be called
 * again, after a migration that adds an enum value, since nothing may use the value before it is committed. The lock is
 * the transaction's: whoever has it next reads afresh how far the database has come, so nothing is lost by letting it go
 * between two transactions, while a session's lock would outlive its owner behind a pooler. Returns whether all is done.
 */
export async function migrateOnce(client: ClientBase, files: SqlFiles, report: MigrationReport, onStep: OnStep) {
  await beginUnderLock(client, onStep)
  const state = await readState(client)
  const { queue, migrations, isEmpty } = comparePlan(files, state)
  if (isEmpty) {
    await client.query('rollback')
    return true
  }
  await onStep({ kind: 'schema', name: 'freshet' })
  await client.query('create schema if not exists freshet')
  if (queue) {
    await onStep({ kind: 'queue', name: `${queue.from ?? 'none'} to ${queue.to}` })
    await prepareQueue(client, queue.from)
    await settle(client) // it sets time limits of its own
    report.queue = queue
  }
  const enumAt = migrations.findIndex(({ addsEnumValue }) => addsEnumValue)
  const batch = enumAt < 0 ? migrations : migrations.slice(0, enumAt + 1)
  if (batch.length > 0) await runMigrations(client, files, batch, onStep)
  report.migrations.push(...batch.map(({ name }) => name))
  if (enumAt < 0) await replaceAll(client, files, report, onStep)
  await onStep({ kind: 'commit', name: batch.at(-1)?.name ?? '' })
  await client.query('commit')
  return enumAt < 0
}

async function beginUnderLock(client: ClientBase, onStep: OnStep) {
  // Read committed, whatever the server's default: what was read before the lock must not be what is seen after it.
  await client.query('begin isolation level read committed read write')
  await settle(client)
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_xact_lock(4610, 0) as free')
  if (!rows[0]?.free) {
    await onStep({ kind: 'wait', name: 'another process migrates' })
    await client.query('select pg_advisory_xact_lock(4610, 0)')
  }
  await onStep({ kind: 'begin', name: 'transaction' })
}

/** No time limit cuts a migration short, and a name without its schema finds nothing instead of something else. */
async function settle(client: ClientBase) {
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
    await client.query(`set local ${limit} = 0`)
  }
  await client.query("set local search_path = ''")
}

async function replaceAll(client: ClientBase, files: SqlFiles, report: MigrationReport, onStep: OnStep) {
  await client.query(readQuery('create_applied_sql'))
  const state = await readState(client) // again: migrations may have taken objects along
  const plan = comparePlan(files, state)
  await applyReplaceables(client, plan, state.objects, onStep)
  await checkFunctions(client, files.replaceables, onStep)
  report.applied.push(...plan.replaceables.map(({ file }) => file.path))
  report.dropped.push(...plan.drops)
}
