import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

/** Which part of `src` may import which, as in docs/architecture.md; a part may always import itself. */
const mayImport: Record<string, string[]> = {
  base: [],
  db: ['base'],
  domain: ['base', 'db'],
  jobs: ['base', 'db', 'domain'],
  schema: ['base', 'db', 'domain'],
  http: ['base', 'db', 'domain', 'schema'],
  app: ['base', 'db', 'domain', 'jobs', 'schema', 'http'],
  cli: ['base', 'db', 'domain', 'jobs', 'app'],
}
const base = [
  'config',
  'config-variables',
  'env-file',
  'expected-error',
  'interrupt',
  'key-form',
  'log',
  'make-folder',
  'near-port',
  'nearest',
  'within',
]
const app = ['app', 'main']

function partOf(path: string): string {
  const [, first = '', second] = path.split('/')
  const name = first.replace('.ts', '')
  if (second !== undefined || name === 'cli') return name
  if (base.includes(name)) return 'base'
  return app.includes(name) ? 'app' : name
}

const files = globSync('src/**/*.ts').filter((path) => !path.includes('generated'))
const imports = files.flatMap((path) =>
  [...readFileSync(path, 'utf8').matchAll(/(?:from|import)[\s(]*'(\.[^']+\.ts)'/g)].map(([, target = '']) => ({
    path,
    target: join(dirname(path), target),
    from: partOf(path),
    to: partOf(join(dirname(path), target)),
  })),
)

test('every part of src is in the table', () => {
  expect([...new Set(files.map(partOf))].toSorted()).toEqual(Object.keys(mayImport).toSorted())
})

test('imports point one way, dynamic and type imports too', () => {
  expect(imports.length).toBeGreaterThan(300)
  const wrong = imports.filter(({ from, to }) => from !== to && !mayImport[from]?.includes(to))
  expect(wrong.map(({ path, to }) => `${path} imports ${to}`)).toEqual([])
})

test('GraphQL and the files of queues send no SQL of their own: they ask the domain', () => {
  const asking = files.filter((path) => /^src\/(?:schema\/|jobs\/[^/]+\.ts$)/.test(path))
  expect(asking.length).toBeGreaterThan(40)
  const sql = /\b(?:queryRows|queryWithin|readQuery)\b|\$(?:query|execute)Raw|\b(?:pool|client)\.query\b/
  expect(asking.filter((path) => sql.test(readFileSync(path, 'utf8')))).toEqual([])
})

test('S2 §10.4, §20: a credential is opened by the jobs of a worker, and by the rotation at a console, and nowhere else', () => {
  const users = (name: string) =>
    files.filter((path) => new RegExp(`\\b${name}\\(`).test(readFileSync(path, 'utf8'))).toSorted()
  const feeds = 'src/domain/feeds'
  expect(users('decryptSecret')).toEqual([
    `${feeds}/credentials/rotate-credentials.ts`,
    `${feeds}/credentials/secret.ts`,
    `${feeds}/feed-for-run.ts`,
  ])
  expect(users('rotateCredentials')).toEqual([
    'src/cli/keys-rotate-credentials.ts',
    `${feeds}/credentials/rotate-credentials.ts`,
  ])
  const working = [`${feeds}/ingest-feed.ts`, `${feeds}/test-feed.ts`]
  expect(users('connectionOf')).toEqual([`${feeds}/feed-for-run.ts`, ...working])
  const callers = imports.filter(({ path, target }) => working.includes(target) && !path.startsWith(feeds))
  expect([...new Set(callers.map(({ path }) => path))].toSorted()).toEqual([
    'src/cli/feeds-test.ts', // for the type of what a test found
    'src/jobs/feed-ingest.ts',
    'src/jobs/feed-test.ts',
  ])
})

test('RULINGS 59: what the program decides goes by a time that it is given; only where a process begins is a clock read', () => {
  const deciding = files.filter((path) => ['domain', 'schema', 'http', 'jobs'].includes(partOf(path)))
  expect(deciding.length).toBeGreaterThan(100)
  const readers = deciding.filter((path) => /\bDate\.now\b|\bnew Date\(\)/.test(withoutComments(path, /\/\/.*/g)))
  expect(readers).toEqual([])
})

test('RULINGS 59: functions take their time as an argument, but for those that stamp a row or guard against a false one', () => {
  const functions = globSync('sql/functions/**/*.sql')
  const readers = functions.filter((path) =>
    /\b(?:now|clock_timestamp|transaction_timestamp|statement_timestamp)\(\)|\bcurrent_timestamp\b|\blocaltimestamp\b/i.test(
      withoutComments(path, /--.*/g),
    ),
  )
  expect(readers.map((path) => path.replace('sql/functions/', '')).toSorted()).toEqual([
    'maintenance/prune_audit_log.sql',
    'schedule/tg_schedules__plan.sql',
    'schedule/tick.sql',
    'sources/import_sources.sql',
    'sources/tg_touch_updated_at.sql',
  ])
})

const withoutComments = (path: string, comments: RegExp) => readFileSync(path, 'utf8').replaceAll(comments, '')
