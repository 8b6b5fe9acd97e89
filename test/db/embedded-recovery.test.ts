import { spawn, spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureCluster } from '../../src/db/embedded/cluster.ts'
import { findDrafts, makeWhole } from '../../src/db/embedded/draft.ts'
import { findOwner } from '../../src/db/embedded/owner.ts'
import { findPlace } from '../../src/db/embedded/place.ts'
import { findPostmaster, isPostmaster, removeStaleLock } from '../../src/db/embedded/postmaster.ts'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { until } from '../support/until.ts'
import { aStand, endServer, fast, openElsewhere, query, standIns, type Stand } from './embedded/stand.ts'

let stand: Stand

beforeAll(async () => {
  stand = await aStand()
})

afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})

/** What Postgres leaves in its lock file, for a process of our choice. */
function lockText(pid: number, dataDir: string): string {
  return `${pid}\n${dataDir}\n1790000000\n5432\n\n127.0.0.1\n  2147097     32784\nready   \n`
}

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync('true').pid
}

/** A folder `postgres` that holds these files, and that the user of Postgres may enter. */
async function aFolder(dir: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(dir, 'postgres', 'data'), { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, 'postgres', name), text)
}

const kept = 'select value from kept'

test('comes up with its data after the server was killed', async () => {
  const dir = await stand.ready()
  const data = join(dir, 'postgres', 'data')
  {
    await using _opener = await openElsewhere(dir) // killed in the end, so that nobody holds the server any more
    await using server = await openEmbedded(dir)
    await query(server.url('freshet'), 'create table written as select 2 as value')
  }
  await endServer(data, 'SIGKILL')
  expect(await readdir(data)).toContain('postmaster.pid')
  await using again = await openEmbedded(dir, fast)
  expect(again.attached).toBe(false)
  expect(await query(again.url('freshet'), 'select value from written')).toEqual([{ value: 2 }])
})

test('a server that is killed under its users comes back on its port, and the last of them stops it', async () => {
  const dir = await stand.ready()
  const server = await openEmbedded(dir, fast)
  await using other = await openElsewhere(dir)
  const before = await findPostmaster(server.dataDir)
  await endServer(server.dataDir, 'SIGKILL')
  const anchors = "select from pg_stat_activity where application_name = 'freshet:anchor'"
  const held = () => query(server.url('freshet'), anchors).catch(() => [])
  await until('both hold the server again', async () => (await held()).length === 2)
  expect(await findPostmaster(server.dataDir)).toMatchObject({ port: server.port })
  expect((await findPostmaster(server.dataDir))?.pid).not.toBe(before?.pid)
  await other.leave()
  expect(await findPostmaster(server.dataDir)).toBeDefined()
  await server[Symbol.asyncDispose]()
  expect(await findPostmaster(server.dataDir)).toBeUndefined()
})

test('a server that was stopped on purpose under its users stays down', async () => {
  const dir = await stand.ready()
  const server = await openEmbedded(dir, fast)
  await endServer(server.dataDir, 'SIGINT')
  await until('its lock file is gone', async () => !(await readdir(server.dataDir)).includes('postmaster.pid'))
  await server[Symbol.asyncDispose]() // waits for the attempt to get it back
  const log = await readFile(join(dir, 'postgres', 'postgres.log'), 'utf8')
  expect(log.split('starting PostgreSQL').length - 1).toBe(1)
})

test('gets over a lock file whose process id belongs to somebody else by now', async () => {
  const dir = await stand.ready()
  const data = join(dir, 'postgres', 'data')
  // As the user that Postgres runs as: it would not mind the process of a user whom it may not signal.
  const stranger = spawn('sleep', ['60'], { ...(await findOwner()), stdio: 'ignore' })
  try {
    for (const pid of [stranger.pid ?? 0, process.pid, deadPid()]) {
      await writeFile(join(data, 'postmaster.pid'), lockText(pid, data))
      await using server = await openEmbedded(dir, fast)
      expect(server.attached).toBe(false)
      expect(await query(server.url('freshet'), kept)).toEqual([{ value: 1 }])
    }
    expect((await readdir(data)).filter((name) => name.startsWith('postmaster.pid'))).toEqual([])
    expect(stranger.exitCode).toBeNull()
  } finally {
    stranger.kill()
  }
})

test('gets over a lock file that a power cut left empty or spoilt', async () => {
  const dir = await stand.ready()
  const file = join(dir, 'postgres', 'data', 'postmaster.pid')
  for (const text of ['', '\0\0\0\0']) {
    await writeFile(file, text)
    // It may be in the making.
    expect(await findPostmaster(dirname(file))).toEqual({ pid: 0, port: 0, status: 'starting' })
    await utimes(file, new Date(), new Date(Date.now() - 6_000))
    await using server = await openEmbedded(dir, fast)
    expect(await query(server.url('freshet'), kept)).toEqual([{ value: 1 }])
  }
})

test('knows its own server from other processes, with and without /proc', async () => {
  await using server = await openEmbedded(await stand.ready(), fast)
  await using other = await openEmbedded(stand.empty(), fast)
  const [running, elsewhere] = await Promise.all([findPostmaster(server.dataDir), findPostmaster(other.dataDir)])
  const pids = [running?.pid ?? 0, elsewhere?.pid ?? 0, process.pid, deadPid()]
  const judge = (platform: string) => Promise.all(pids.map((pid) => isPostmaster(pid, server.dataDir, platform)))
  expect(running).toEqual({ pid: pids[0], port: server.port, status: 'ready' })
  expect(await judge(process.platform)).toEqual([true, process.platform !== 'linux', false, false])
  // `ps` tells no folder: another Postgres counts as ours rather than that a living server loses its lock.
  expect(await judge('darwin')).toEqual([true, true, false, false])
})

test('puts a lock file back that turns out to be a new one', async () => {
  const data = stand.empty()
  await mkdir(data)
  await writeFile(join(data, 'postmaster.pid'), 'new')
  await removeStaleLock(data, 'old')
  expect(await readFile(join(data, 'postmaster.pid'), 'utf8')).toBe('new')
  await removeStaleLock(data, 'new')
  await removeStaleLock(data, 'new')
  expect(await readdir(data)).toEqual([])
})

test('refuses a data directory of another major version and leaves it as it was', async () => {
  const dir = stand.empty()
  const file = join(dir, 'postgres', 'data', 'PG_VERSION')
  await aFolder(dir, { 'data/PG_VERSION': '17\n', password: 'secret\n' })
  const before = await readdir(dir, { recursive: true })
  await expect(openEmbedded(dir)).rejects.toMatchObject({
    name: 'EmbeddedPostgresError',
    code: 'DATA_DIR_OTHER_VERSION',
    message: expect.stringMatching(
      /postgres\/data was made by Postgres 17, this is Postgres 18\.\d+\. Nothing was changed/,
    ),
    hint: expect.stringMatching(/pg_dump.*FRESHET_DATA_DIR.*DATABASE_URL/),
  })
  expect(await readFile(file, 'utf8')).toBe('17\n')
  expect(await readdir(dir, { recursive: true })).toEqual(before)
})

test('refuses a folder that no Freshet made and leaves it as it was', async () => {
  for (const files of [{}, { mine: '1' }, { PG_VERSION: '18', password: 'secret' }] as Record<string, string>[]) {
    const dir = stand.empty()
    const home = join(dir, 'postgres')
    await aFolder(dir, files)
    await expect(openEmbedded(dir)).rejects.toMatchObject({
      code: 'DATA_DIR_NOT_OURS',
      message: expect.stringContaining(`${home} exists but is not a Postgres that Freshet made`),
      hint: expect.stringContaining('FRESHET_DATA_DIR'),
    })
    expect((await readdir(home)).toSorted()).toEqual(['data', ...Object.keys(files)].toSorted())
    expect(await readdir(dir)).toEqual(['postgres'])
  }
})

test('says which file is missing when the password is gone', async () => {
  const dir = stand.empty()
  await aFolder(dir, { 'data/PG_VERSION': '18\n' })
  await expect(openEmbedded(dir)).rejects.toMatchObject({
    code: 'DATA_DIR_NOT_OURS',
    message: expect.stringContaining(`${join(dir, 'postgres', 'password')} is missing`),
  })
})

test('removes what makers left behind that have died or gone silent, not what one is at work on', async () => {
  const dir = stand.empty()
  const target = join(dir, 'postgres')
  const [dead, silent, busy] = [`${deadPid()}-ab`, `${process.pid}-cd`, `${process.pid}-ef`].map(
    (maker) => `${target}.${maker}.tmp`,
  )
  for (const draft of [dead, silent, busy]) await mkdir(join(draft ?? '', 'data'), { recursive: true })
  await mkdir(`${target}.mine.tmp`)
  await utimes(silent ?? '', new Date(), new Date(Date.now() - 11_000))
  expect(await findDrafts(target)).toEqual([busy])
  expect((await readdir(dir)).toSorted()).toEqual([`postgres.${process.pid}-ef.tmp`, 'postgres.mine.tmp'].toSorted())
})

test('starts beside what a crash in the middle of initdb left behind, in a path with blanks and quotes', async () => {
  const dir = join(stand.empty(), `it's a folder; yes`)
  await mkdir(join(dir, `postgres.${deadPid()}-ab.tmp`, 'data', 'base'), { recursive: true })
  await using server = await openEmbedded(dir, fast)
  expect(await query(server.url('freshet'), 'select 1 as one')).toEqual([{ one: 1 }])
  expect(await readdir(dir)).toEqual(['postgres'])
})

test('keeps the first of two folders made at once, and none that failed or was given up', async () => {
  const dir = stand.empty()
  await mkdir(dir)
  const target = join(dir, 'made')
  const fill = (text: string) => (draft: string) => writeFile(join(draft, 'text'), text).then(() => true)
  await expect(makeWhole(target, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  await makeWhole(target, async () => false)
  expect(await readdir(dir)).toEqual([])
  await makeWhole(target, async (draft) => {
    await makeWhole(target, fill('first'))
    return await fill('second')(draft)
  })
  expect(await readdir(dir)).toEqual(['made'])
  expect(await readFile(join(target, 'text'), 'utf8')).toBe('first')
})

test('says what is wrong when initdb runs out of space, lacks rights or fails, and leaves nothing behind', async () => {
  const owner = await findOwner()
  for (const [code, line] of [
    ['DISK_FULL', 'initdb: error: could not create directory "x": No space left on device'],
    ['DISK_FULL', 'HINT:  Check free disk space.'],
    ['DATA_DIR_DENIED', 'initdb: error: could not create directory "x": Permission denied'],
    ['INIT_FAILED', 'initdb: error: something else'],
  ] as const) {
    const dir = stand.empty()
    const place = await findPlace(dir, owner)
    const binDir = await standIns(join(dir, 'bin'), { initdb: `echo '${line}' >&2; exit 1` })
    await expect(ensureCluster({ place, binaries: { binDir, version: '18.4' }, owner })).rejects.toMatchObject({
      code,
      message: `Postgres could not make its files in ${place.base}:\n${line}`,
      hint: expect.stringContaining('DATABASE_URL'),
    })
    expect(await readdir(dir)).toEqual(['bin'])
  }
})

test('shows the last lines of the log when the server does not start, and no password', async () => {
  const dir = await stand.ready()
  const password = (await readFile(join(dir, 'postgres', 'password'), 'utf8')).trim()
  const error = await openEmbedded(dir, { settings: { shared_buffers: password } }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'START_FAILED',
    message: expect.stringMatching(
      /postgres\.log, ends with:\n.*invalid value for parameter "shared_buffers": "\[password\]"/s,
    ),
    hint: expect.stringContaining('DATABASE_URL'),
  })
  expect(inspect(error)).not.toContain(password)
  await using server = await openEmbedded(dir, fast)
  expect(await query(server.url('freshet'), kept)).toEqual([{ value: 1 }])
})

test('gives up after its time on a server that does not get ready', async () => {
  const dir = await stand.ready()
  await using server = await openEmbedded(dir, fast)
  const file = join(server.dataDir, 'postmaster.pid')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('ready   ', 'starting'))
  await expect(openEmbedded(dir, { timeoutMs: 200 })).rejects.toMatchObject({
    code: 'START_TIMEOUT',
    message: `The Postgres in ${server.dataDir} was not ready within 0.2 s`,
    hint: expect.stringContaining('DATABASE_URL'),
  })
  await writeFile(file, text)
})

test('says so when the data directory cannot be made', async () => {
  const file = stand.empty()
  await writeFile(file, '')
  const dir = join(file, 'below')
  await expect(openEmbedded(dir)).rejects.toMatchObject({
    code: 'DATA_DIR_UNUSABLE',
    message: expect.stringContaining(`The data directory ${dir} cannot be used:\nENOTDIR`),
    hint: expect.stringContaining('FRESHET_DATA_DIR'),
  })
})

test('refuses a path that the tools of Postgres cannot take', async () => {
  const dir = `${stand.empty()}-$HOME`
  await expect(openEmbedded(dir)).rejects.toMatchObject({
    code: 'PATH_UNUSABLE',
    message: expect.stringContaining(dir),
  })
  expect(await readdir(dir)).toEqual([])
})
