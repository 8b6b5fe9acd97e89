import type { Pool } from '../../db/pool.ts'
import { allInOrder } from '../read-many.ts'

export type Visibility = {
  visible: boolean
  reason: 'IS_PRIMARY' | 'DIRECT_WITHOUT_PRIMARY' | 'INELIGIBLE' | 'ANOTHER_SOURCE_IS_PRIMARY' | 'NOT_PRIMARY'
}

/** Whether consumers see what these sources bring, in the order asked for. The rule itself is SQL: `source_visibility`. */
export async function readVisibility(pool: Pool, ids: readonly bigint[]): Promise<(Visibility | Error)[]> {
  const query = {
    name: 'source-visibility',
    text: 'select source_id, visible, reason from freshet.source_visibility($1)',
    values: [ids],
  }
  const { rows } = await pool.query<Visibility & { source_id: string }>(query)
  return allInOrder('source', ids, rows, (row) => row.source_id)
}
