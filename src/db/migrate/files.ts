import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MigrationError } from './errors.ts'
import { controlsTransaction, splitStatements, type Statement } from './statements.ts'

/** Where this program keeps its SQL. */
export const ownSqlDir = fileURLToPath(new URL('../../../sql', import.meta.url))

/** A file that is applied again whenever its text changes. */
export type ReplaceableFile = {
  kind: 'function' | 'view' | 'trigger'
  /** From the SQL folder, with `/`: its name in freshet.applied_sql. */
  path: string
  text: string
  hash: string
  /** What it defines, as `function tick`, `view x`, `trigger y on z`. */
  objects: string[]
  statements: Statement[]
}

/** A file that is applied once. */
export type MigrationFile = {
  /** Its file name without `.sql`: its name in freshet.migrations. */
  name: string
  path: string
  text: string
  /** It adds values to an enum, which nothing may use before they are committed. */
  addsEnumValue: boolean
}

/** Everything under the SQL folder that a database is made of. */
export type SqlFiles = { dir: string; migrations: MigrationFile[]; replaceables: ReplaceableFile[] }

const definitions = {
  function: /^create or replace (?:function|procedure) freshet\.([a-z_][a-z0-9_]*) ?\(/i,
  view: /^create or replace view freshet\.([a-z_][a-z0-9_]*)(?= |\()/i,
  trigger: /^create (?:or replace )?(?:constraint )?trigger ([a-z_][a-z0-9_]*) .*? on freshet\.([a-z_][a-z0-9_]*)\b/is,
}

/** Reads and checks every SQL file; all that is wrong with them is reported at once. */
export async function readSqlFiles(dir: string = ownSqlDir): Promise<SqlFiles> {
  const problems: string[] = []
  const [migrations, functions, views, triggers] = await Promise.all([
    readFolder(dir, 'migrations'),
    readFolder(dir, 'functions'),
    readFolder(dir, 'views'),
    readFolder(dir, 'triggers'),
  ])
  const files: SqlFiles = {
    dir,
    migrations: migrations.map((file) => asMigration(file, problems)),
    replaceables: [
      ...functions.map((file) => asReplaceable('function', file, problems)),
      ...inOrderOfUse(views.map((file) => asReplaceable('view', file, problems))),
      ...triggers.map((file) => asReplaceable('trigger', file, problems)),
    ],
  }
  reportRepeats(files, problems)
  if (problems.length > 0) {
    throw new MigrationError('SQL_FILES_INVALID', `The SQL files break their rules:\n${problems.join('\n')}`)
  }
  return files
}

type TextFile = { path: string; text: string }

async function readFolder(dir: string, folder: string): Promise<TextFile[]> {
  const entries = await readdir(join(dir, folder), { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && folder !== 'migrations') return []
    throw error
  })
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dir.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
  // Line ends are folded, so that a checkout on Windows has the same hashes.
  return Promise.all(
    paths.map(async (path) => ({ path, text: (await readFile(join(dir, path), 'utf8')).replaceAll('\r\n', '\n') })),
  )
}

function asMigration({ path, text }: TextFile, problems: string[]): MigrationFile {
  if (!/^migrations\/\d{4}_[a-z0-9_]+\.sql$/.test(path))
    problems.push(`${path}: a migration is named like 0001_what_it_does.sql`)
  const statements = checkedStatements({ path, text }, problems)
  const enumValues = statements.filter(({ plain }) => /^alter type .* add value /is.test(plain))
  const rest = statements.find((statement) => !enumValues.includes(statement))
  if (enumValues.length > 0 && rest) {
    problems.push(
      `${path}, line ${rest.line}: a migration that adds a value to an enum holds nothing else; move this to the next migration`,
    )
  }
  return { name: basename(path, '.sql'), path, text, addsEnumValue: enumValues.length > 0 }
}

function asReplaceable(kind: ReplaceableFile['kind'], { path, text }: TextFile, problems: string[]): ReplaceableFile {
  const statements = checkedStatements({ path, text }, problems)
  const objects = statements.flatMap(({ plain, line }) => {
    const found = definitions[kind].exec(plain)
    if (found) return kind === 'trigger' ? `trigger ${found[1]} on ${found[2]}` : `${kind} ${found[1]}`
    const wanted =
      kind === 'trigger' ? 'create or replace trigger … on freshet.…' : `create or replace ${kind} freshet.…`
    problems.push(`${path}, line ${line}: only "${wanted}" belongs in ${kind}s/`)
    return []
  })
  const own = `${kind} ${basename(path, '.sql')}`
  if (kind !== 'trigger' && !(objects.length === 1 && objects[0] === own && statements.length === 1)) {
    problems.push(`${path}: holds one ${kind}, freshet.${basename(path, '.sql')}, and nothing else`)
  }
  return { kind, path, text, hash: createHash('sha256').update(text).digest('hex'), objects, statements }
}

function checkedStatements({ path, text }: TextFile, problems: string[]): Statement[] {
  if (!path.endsWith('.sql')) problems.push(`${path}: only .sql files belong here`)
  const statements = splitStatements(text)
  for (const statement of statements.filter(controlsTransaction)) {
    problems.push(`${path}, line ${statement.line}: the transaction is not the file's to begin or end; take this out`)
  }
  return statements
}

function reportRepeats({ migrations, replaceables }: SqlFiles, problems: string[]) {
  const seen = new Map<string, string>()
  const claim = (what: string, path: string) => {
    const other = seen.get(what)
    if (other) problems.push(`${path}: ${what} is already in ${other}`)
    seen.set(what, path)
  }
  for (const { name, path } of migrations) claim(`number ${name.slice(0, 4)}`, path)
  for (const { objects, path } of replaceables) for (const object of objects) claim(object, path)
}

/** Views that others read come first. */
function inOrderOfUse(views: ReplaceableFile[]): ReplaceableFile[] {
  const ordered = new Set<ReplaceableFile>()
  const place = (view: ReplaceableFile, users: ReplaceableFile[]) => {
    if (ordered.has(view) || users.includes(view)) return
    const text = view.statements.map(({ plain }) => plain).join(' ')
    for (const used of views) {
      if (new RegExp(`\\bfreshet\\.${basename(used.path, '.sql')}\\b`).test(text)) place(used, [...users, view])
    }
    ordered.add(view)
  }
  for (const view of views) place(view, [])
  return [...ordered]
}
