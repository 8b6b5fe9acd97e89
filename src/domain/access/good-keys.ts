import type { Pool } from '../../db/pool.ts'

const query = {
  name: 'good-keys',
  text: 'select id, expires_at from freshet.api_keys where id = any($1) and revoked_at is null',
}

/** Which of these keys were not revoked, and when each ends by itself. */
export async function readGoodKeys(pool: Pool, ids: bigint[]): Promise<Map<bigint, Date | null>> {
  const { rows } = await pool.query<{ id: string; expires_at: Date | null }>({ ...query, values: [ids] })
  return new Map(rows.map((row) => [BigInt(row.id), row.expires_at]))
}
