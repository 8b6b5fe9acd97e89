import type { Pool } from '../pool.ts'
import { readSqlFiles } from './files.ts'

/**
 * Asks, cheaply and as often as wanted, whether the database has every migration that this program needs. Newer ones are no
 * reason to stop: during a deploy they come before the newer program.
 */
export async function watchMigrations(pool: Pool): Promise<() => Promise<string | undefined>> {
  const needed = (await readSqlFiles()).migrations.map(({ name }) => name)
  const text =
    'select name from unnest($1::text[]) as needed (name) where name not in (select name from freshet.migrations)'
  return async () => {
    const { rows } = await pool.query<{ name: string }>({ name: 'missing-migrations', text, values: [needed] })
    if (rows.length === 0) return undefined
    return `the database lacks ${rows.map(({ name }) => name).join(', ')}: run "freshet migrate"`
  }
}
