import type { ClientBase } from 'pg'
import { runner } from 'node-pg-migrate'
import { failureOf } from './errors.ts'
import type { MigrationFile, SqlFiles } from './files.ts'
import type { OnStep } from './step.ts'

/** Runs the given migrations, the next ones in order, inside the transaction that is open on the client. */
export async function runMigrations(client: ClientBase, files: SqlFiles, migrations: MigrationFile[], onStep: OnStep) {
  await runner({
    dbClient: withoutTransactions(client, migrations, onStep),
    dir: `${files.dir}/migrations`,
    direction: 'up',
    count: migrations.length,
    migrationsSchema: 'freshet',
    migrationsTable: 'migrations',
    checkOrder: true,
    noLock: true,
    logger: { info: silent, warn: silent, error: silent },
  })
}

const silent = () => {}

/**
 * The client as the runner sees it: what it says about transactions is left out, because the transaction is ours. Each
 * BEGIN it would send opens a migration and each COMMIT ends it, which tells whose statements are running.
 */
function withoutTransactions(client: ClientBase, migrations: MigrationFile[], onStep: OnStep): ClientBase {
  const waiting = [...migrations]
  let running: MigrationFile | undefined
  const query = async (text: string, values?: unknown[]) => {
    switch (text.replace(/;$/, '').toLowerCase()) {
      case 'begin':
        running = waiting.shift()
        return await onStep({ kind: 'migration', name: running?.name ?? '' })
      case 'commit':
      case 'rollback':
        running = undefined
        return
    }
    try {
      return await client.query(text, values)
    } catch (error) {
      throw running ? failureOf(running, error) : error
    }
  }
  return new Proxy(client, {
    get: (target, property) => (property === 'query' ? query : Reflect.get(target, property, target)),
  })
}
