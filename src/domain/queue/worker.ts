import { queryRows, type Sql } from '../../db/sql.ts'

/** The name of the connections that workers fetch jobs over. */
export const workerConnectionName = 'freshet:queue'

/** Whether any process works the queues of this database just now. Jobs wait where none does. */
export async function hasWorker(sql: Sql): Promise<boolean> {
  const text =
    'select exists (select from pg_stat_activity where datname = current_database() and application_name = $1) as "isThere"'
  const [row] = await queryRows<{ isThere: boolean }>(sql, text, [workerConnectionName])
  return row?.isThere ?? false
}
