import type { ClientBase } from 'pg'
import { getConstructionPlans, getMigrationPlans, type MigrationPartition } from 'pg-boss'
import { controlsTransaction, splitStatements } from './statements.ts'

/** Installs or upgrades the queue's tables inside the transaction that is open on the client. */
export async function prepareQueue(client: ClientBase, from: number | null): Promise<void> {
  await client.query(
    withinTransaction(from === null ? getConstructionPlans('pgboss') : await upgradeFrom(client, from)),
  )
}

async function upgradeFrom(client: ClientBase, version: number): Promise<string> {
  const { rows: partitionTables } = await client.query<MigrationPartition>(
    'select table_name as "tableName", policy from pgboss.queue where partition',
  )
  return getMigrationPlans('pgboss', version, { partitionTables })
}

/**
 * The plans open and close a transaction of their own and build indexes after it, concurrently. Here they run in ours:
 * an upgrade is whole or absent, at the price that writers of the queue wait for its index builds.
 */
export function withinTransaction(sql: string): string {
  return splitStatements(sql)
    .filter((statement) => !controlsTransaction(statement))
    .map(({ text }) => text.replace(/^(create (?:unique )?index|drop index) concurrently\b/i, '$1'))
    .join(';\n')
}
