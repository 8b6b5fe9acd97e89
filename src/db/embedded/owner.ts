import { EmbeddedPostgresError } from './error.ts'
import { run, type Owner } from './run.ts'

/** The user to run Postgres as. It refuses to run as root: then `postgres` does it, made if need be. */
export async function findOwner(name = 'postgres'): Promise<Owner> {
  if (process.getuid?.() !== 0) return undefined
  const found = await lookUp(name)
  if (found) return found
  const args = ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name]
  const trouble = await run('useradd', args).then(
    ({ output }) => output,
    (error: Error) => error.message,
  )
  // Also when useradd failed: another process may have made the user at the same moment.
  const made = await lookUp(name)
  if (made) return made
  throw new EmbeddedPostgresError(
    'NO_UNPRIVILEGED_USER',
    `Postgres does not run as root, and a user ${name} could not be made: ${trouble}`,
    `Run Freshet as another user, make a user named ${name}`,
  )
}

async function lookUp(name: string): Promise<Owner> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name])))
  if (uid?.code !== 0 || gid?.code !== 0) return undefined
  return { uid: Number(uid.output), gid: Number(gid.output) }
}

/** True when the owner may go into a directory, or run a file. */
export async function mayEnter(path: string, owner: Owner): Promise<boolean> {
  return (await run('test', ['-x', path], owner)).code === 0
}
