import pg from 'pg'
import { queryRows } from '../../db/sql.ts'
import { CommandError } from '../error.ts'

/** Registered in `sql/README.md`. */
const lock = [4612, 0]

/**
 * Makes sure that this is the only demo of its folder, until it ends: each takes the feeds to a server of its own, and they would
 * fail as soon as one of two stops.
 */
export async function beOnlyDemo(directUrl: string, dir: string): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: directUrl, application_name: 'freshet:demo', keepAlive: true })
  client.on('error', () => {}) // the demo goes on; at worst a second one is let in
  await client.connect()
  const close = () => client.end().catch(() => {})
  const [answer] = await queryRows<{ isOnly: boolean }>(client, 'select pg_try_advisory_lock($1, $2) as "isOnly"', lock)
  if (answer?.isOnly) return { [Symbol.asyncDispose]: close }
  await close()
  throw new CommandError('DEMO_RUNNING', `A demo is at work in ${dir} already. Nothing was changed.`, {
    hint: 'Use that one at the address that it printed, stop it first, or name another folder in FRESHET_DATA_DIR.',
  })
}
