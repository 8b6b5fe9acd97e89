import { randomBytes } from 'node:crypto'
import { chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Making } from './control.ts'
import { findDrafts, makeWhole } from './draft.ts'
import { EmbeddedPostgresError, explainOutput, ignore } from './error.ts'
import { exists, type Place } from './place.ts'
import { run } from './run.ts'

/** The superuser of every embedded server. */
export const superuser = 'postgres'

const pollMs = 50

// Order by code point on every machine. The character classes that full text search and pg_trgm ask for come from the C
// library, which knows letters beyond ASCII only in a UTF-8 locale; macOS has no C.UTF-8.
const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'].concat(
  process.platform === 'darwin' ? ['--locale=C', '--lc-ctype=en_US.UTF-8'] : ['--locale=C.UTF-8'],
)

/**
 * Sees to it that a server's files are there and of this version; makes them where nothing is, with `flags` for initdb.
 * Returns the password.
 */
export async function ensureCluster(making: Making, flags: string[] = []): Promise<string> {
  const { place, binaries, signal } = making
  for (;;) {
    signal?.throwIfAborted()
    const makers = await findDrafts(place.home)
    if (await exists(place.home)) return await checkCluster(place, binaries.version)
    // Ten that start at once need one initdb, not ten. Were two to slip through, the rename decides.
    if (makers.length > 0) await sleep(pollMs)
    else await makeCluster(making, flags)
  }
}

async function makeCluster({ place, binaries, owner, signal, tell }: Making, flags: string[]): Promise<void> {
  await makeWhole(place.home, async (draft) => {
    if ((await findDrafts(place.home))[0] !== draft) return false
    tell?.(`making the database in ${place.base}`)
    const password = join(draft, 'password')
    await writeFile(password, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 })
    if (owner) for (const path of [draft, password]) await chown(path, owner.uid, owner.gid)
    const files = [`--pgdata=${join(draft, 'data')}`, `--pwfile=${password}`]
    const args = [...files, `--username=${superuser}`, '--auth=scram-sha-256', ...locale, ...flags]
    const { code, output } = await run(join(binaries.binDir, 'initdb'), args, owner, signal)
    if (code === 0) return true
    // Another maker took this one for dead, or was faster: look again.
    if (!(await exists(password)) || (await exists(place.home))) return false
    const failure = `Postgres could not make its files in ${place.base}`
    throw explainOutput('INIT_FAILED', failure, output.split('\n').slice(-10).join('\n'), place.base)
  })
}

async function checkCluster(place: Place, version: string): Promise<string> {
  const made = (await readFile(join(place.data, 'PG_VERSION'), 'utf8').catch(ignore('ENOENT', 'ENOTDIR')))?.trim()
  const password = (await readFile(place.password, 'utf8').catch(ignore('ENOENT', 'ENOTDIR')))?.trim()
  if (!made || !password) {
    const missing = made ? place.password : join(place.data, 'PG_VERSION')
    throw new EmbeddedPostgresError(
      'DATA_DIR_NOT_OURS',
      `${place.home} exists but is not a Postgres that Freshet made: ${missing} is missing. Nothing was changed.`,
      'Move it away if it is not needed, point FRESHET_DATA_DIR elsewhere',
    )
  }
  const [major] = version.split('.')
  if (made === major) return password
  throw new EmbeddedPostgresError(
    'DATA_DIR_OTHER_VERSION',
    `${place.data} was made by Postgres ${made}, this is Postgres ${version}. Nothing was changed.`,
    `Start it once more with the Freshet that came with Postgres ${made} and dump it with pg_dump, point ` +
      'FRESHET_DATA_DIR at a new directory',
  )
}
