import queueManifest from 'pg-boss/package.json' with { type: 'json' }
import ownManifest from '../../../package.json' with { type: 'json' }
import { MigrationError } from './errors.ts'
import type { MigrationFile, ReplaceableFile, SqlFiles } from './files.ts'
import type { DatabaseState } from './state.ts'

/** What has to run to bring a database to where the files are. */
export type MigrationPlan = {
  /** Nothing has to run. */
  isEmpty: boolean
  /** The queue's own tables, from one version (null: not installed) to another. */
  queue: { from: number | null; to: number } | null
  /** Migrations to run, in order. */
  migrations: MigrationFile[]
  /** Functions, views and triggers to apply, in order. */
  replaceables: { file: ReplaceableFile; change: 'new' | 'changed' }[]
  /** What files once defined and no file defines now, as `function tick`. */
  drops: string[]
  /** Paths on record whose file is gone. */
  goneFiles: string[]
}

const oldestServer = 15
const queueVersion = queueManifest.pgboss.schema

/** Who applies the files: a program of an older version must not put its older functions back. */
export const programVersion = ownManifest.version

/** Compares the files with the database's state. Refuses a database that this program must not touch. */
export function comparePlan(files: SqlFiles, state: DatabaseState): MigrationPlan {
  refuseUnsuitable(files, state)
  const applied = new Map(state.applied.map((record) => [record.path, record]))
  const present = new Set(state.objects)
  const defined = new Set(files.replaceables.flatMap(({ objects }) => objects))
  const paths = new Set(files.replaceables.map(({ path }) => path))
  const plan = {
    queue: state.queueVersion === queueVersion ? null : { from: state.queueVersion, to: queueVersion },
    migrations: files.migrations.filter(({ name }) => !state.migrations.includes(name)),
    replaceables: files.replaceables.flatMap((file) => {
      const record = applied.get(file.path)
      if (!record) return { file, change: 'new' as const }
      // A migration may have taken an object away, with its table or on purpose: it comes back.
      const isWhole = record.hash === file.hash && file.objects.every((object) => present.has(object))
      return isWhole ? [] : { file, change: 'changed' as const }
    }),
    drops: state.applied.flatMap(({ objects }) =>
      objects.filter((object) => present.has(object) && !defined.has(object)),
    ),
    goneFiles: state.applied.map(({ path }) => path).filter((path) => !paths.has(path)),
  }
  const { queue, migrations, replaceables, drops, goneFiles } = plan
  return {
    ...plan,
    isEmpty: queue === null && [migrations, replaceables, drops, goneFiles].every((list) => list.length === 0),
  }
}

function refuseUnsuitable(files: SqlFiles, state: DatabaseState) {
  const major = Math.floor(state.serverVersion / 10_000)
  if (major < oldestServer) {
    throw new MigrationError(
      'DATABASE_TOO_OLD',
      `This is Postgres ${major}; Freshet needs ${oldestServer} or newer. Upgrade the server or point DATABASE_URL at another.`,
    )
  }
  const known = new Set(files.migrations.map(({ name }) => name))
  const unknown = state.migrations.filter((name) => !known.has(name))
  if (unknown.length > 0) refuseNewer(`it has run migrations that this program does not know (${unknown.join(', ')})`)
  if (state.queueVersion !== null && state.queueVersion > queueVersion) {
    refuseNewer(`its queue tables have version ${state.queueVersion}, this program knows ${queueVersion}`)
  }
  const hashes = new Map(files.replaceables.map(({ path, hash }) => [path, hash]))
  const newer = state.applied.find(({ path, hash, program }) => hashes.get(path) !== hash && isNewer(program))
  if (newer) refuseNewer(`version ${newer.program} applied its ${newer.path}, this is ${programVersion}`)
  const last = state.migrations.toSorted().at(-1) ?? ''
  const late = files.migrations.find(({ name }) => name < last && !state.migrations.includes(name))
  if (late) {
    throw new MigrationError(
      'MIGRATIONS_OUT_OF_ORDER',
      `${late.path} has not run, yet the later ${last} has. Give it a number after ${last}.`,
    )
  }
}

/** Whether a version, as in 1.2.3, is newer than this program's. */
function isNewer(version: string): boolean {
  return version.localeCompare(programVersion, 'en', { numeric: true }) > 0
}

function refuseNewer(reason: string): never {
  throw new MigrationError(
    'DATABASE_NEWER',
    `The database is newer than this program: ${reason}. Start the newer program, or restore a database from before.`,
  )
}

/** A plan in lines, one for each thing that would run. */
export function describePlan(plan: MigrationPlan): string[] {
  const { queue } = plan
  return [
    ...(queue
      ? [queue.from === null ? `install queue ${queue.to}` : `upgrade queue ${queue.from} to ${queue.to}`]
      : []),
    ...plan.migrations.map(({ path }) => `run ${path}`),
    ...plan.replaceables.map(({ file, change }) => `${change === 'new' ? 'apply' : 're-apply'} ${file.path}`),
    ...plan.drops.map((object) => `drop ${object}`),
    ...plan.goneFiles.map((path) => `forget ${path}`),
  ]
}
