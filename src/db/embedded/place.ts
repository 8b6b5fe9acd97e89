import { createHash } from 'node:crypto'
import { chmod, lstat, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeFolder } from '../../make-folder.ts'
import { EmbeddedPostgresError, ignore } from './error.ts'
import { mayEnter } from './owner.ts'
import type { Owner } from './run.ts'

/** Where root keeps what the user `postgres` must reach and cannot reach elsewhere. */
export const sharedFolder = '/var/lib/freshet'

/** The paths of one server: `home` is made whole or not at all, `base` is the folder around it. */
export type Place = { base: string; home: string; data: string; password: string; port: string; log: string }

/**
 * Finds where the server of a data directory lives: in it, or, where a folder on the way is closed to the owner, under
 * the shared folder. What was made in one place stays there, whatever becomes of the folder modes later.
 */
export async function findPlace(dir: string, owner: Owner, shared = sharedFolder): Promise<Place> {
  await makeFolder(resolve(dir))
  const own = placeIn(await realpath(dir))
  if (owner === undefined) return own
  if (await exists(own.home)) {
    if (await mayEnter(own.home, owner)) return own
    throw new EmbeddedPostgresError(
      'DATA_DIR_DENIED',
      `The user that Postgres runs as (uid ${owner.uid}) may not enter ${own.home}, where the data is.`,
      `Open the folders on the way (chmod a+x) and give ${own.home} to that user, run Freshet as the user it belongs to`,
    )
  }
  const moved = placeIn(join(shared, createHash('sha256').update(own.base).digest('hex').slice(0, 16)))
  if (!(await exists(moved.home)) && (await mayEnter(own.base, owner))) return own
  await makeOpen(shared)
  await makeOpen(moved.base)
  return moved
}

/** Makes a folder that every user may enter, whatever our umask is. */
export async function makeOpen(folder: string): Promise<void> {
  if (await makeFolder(folder)) await chmod(folder, 0o755)
}

/** True when something is there, be it a dangling link. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignore('ENOENT'))) !== undefined
}

function placeIn(base: string): Place {
  const home = join(base, 'postgres')
  return {
    base,
    home,
    data: join(home, 'data'),
    password: join(home, 'password'),
    port: join(home, 'port'),
    log: join(home, 'postgres.log'),
  }
}
