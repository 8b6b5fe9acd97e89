import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { departureLock, holdAnchor } from '../../src/db/embedded/anchor.ts'
import { ensureCluster } from '../../src/db/embedded/cluster.ts'
import { findOwner } from '../../src/db/embedded/owner.ts'
import { findPlace } from '../../src/db/embedded/place.ts'
import { findPostmaster } from '../../src/db/embedded/postmaster.ts'
import { run } from '../../src/db/embedded/run.ts'
import { openEmbedded } from '../../src/db/embedded/server.ts'
import { until } from '../support/until.ts'
import { aStand, countStops, endServer, fast, openElsewhere, query, standIns, type Stand } from './embedded/stand.ts'

let stand: Stand

beforeAll(async () => {
  stand = await aStand()
})

afterAll(async () => {
  await stand[Symbol.asyncDispose]()
})

const anchors = `select count(*)::int as count from pg_stat_activity where application_name = 'freshet:anchor'`
const untilOneAnchor = (url: string) =>
  until('there is one anchor', async () => (await query<{ count: number }>(url, anchors))[0]?.count === 1)

async function pidOf(dataDir: string): Promise<number | undefined> {
  return (await findPostmaster(dataDir))?.pid
}

test('gives a database to work in on loopback only, behind a password', async () => {
  const dir = stand.empty()
  const open = { listen_addresses: '*', unix_socket_directories: '/tmp' }
  await using server = await openEmbedded(dir, { settings: { ...fast.settings, ...open } })

  const settings = `select current_setting('listen_addresses') as addresses,
    current_setting('unix_socket_directories') as sockets, current_database() as database,
    (select array_agg(distinct auth_method) from pg_hba_file_rules) as methods`
  expect(await query(server.url('freshet'), settings)).toEqual([
    { addresses: '127.0.0.1', sockets: '', database: 'freshet', methods: ['scram-sha-256'] },
  ])
  const { attached, dataDir, host, version } = server
  const { version: installed } = JSON.parse(await readFile(join(server.binDir, '../../package.json'), 'utf8'))
  expect({ attached, dataDir, host }).toEqual({
    attached: false,
    dataDir: join(dir, 'postgres', 'data'),
    host: '127.0.0.1',
  })
  expect(installed.startsWith(`${version}.`)).toBe(true)
  const wrong = new URL(server.url('freshet'))
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'select')).rejects.toMatchObject({ code: '28P01' })
})

test('keeps a random password in a file of its own that no other user can read', async () => {
  const owner = await findOwner()
  const passwords = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const dir = stand.empty()
      const place = await findPlace(dir, owner)
      // Stands in for initdb to see what it is given.
      const initdb = `for a; do case $a in --pgdata=*) d=\${a#*=};; --pwfile=*) f=\${a#*=};; esac; done
        mkdir "$d"; echo 18 > "$d/PG_VERSION"; echo "$*" > "$d/arguments"; cp "$f" "$d/given"`
      const binDir = await standIns(join(dir, name), { initdb })
      const password = await ensureCluster({ place, binaries: { binDir, version: '18.4' }, owner })
      expect(await readFile(join(place.data, 'given'), 'utf8')).toBe(`${password}\n`)
      expect(await readFile(join(place.data, 'arguments'), 'utf8')).not.toContain(password)
      expect((await readdir(place.home)).toSorted()).toEqual(['data', 'password'])
      expect((await stat(place.password)).mode & 0o777).toBe(0o600)
      expect((await stat(place.home)).mode & 0o777).toBe(0o700)
      return password
    }),
  )
  expect(passwords.map((password) => Buffer.from(password, 'base64url').length)).toEqual([32, 32])
  expect(passwords[0]).not.toBe(passwords[1])
})

test('shows the password on no command line and in no log', async () => {
  const dir = await stand.ready()
  await using server = await openEmbedded(dir, fast)
  const password = new URL(server.url('freshet')).password
  const { output } = await run('ps', ['-ww', '-eo', 'args'])
  expect(output).toContain(server.dataDir)
  expect(output).not.toContain(password)
  expect(await readFile(join(dir, 'postgres', 'postgres.log'), 'utf8')).not.toContain(password)
})

test('takes the port of the last start while it is free, another one when it is not, and remembers that', async () => {
  const dir = await stand.ready()
  const ports: number[] = []
  const start = async () => {
    await using server = await openEmbedded(dir, fast)
    ports.push(server.port)
  }
  await start()
  await start()
  {
    await using taken = createServer().listen(ports[0], '127.0.0.1')
    await until('the port is taken', () => taken.listening)
    await start()
  }
  await start()
  const [first, second, third, fourth] = ports
  expect(second).toBe(first)
  expect(third).not.toBe(first)
  expect(fourth).toBe(third)
})

test('hands the server its settings as they are', async () => {
  const settings = { ...fast.settings, cluster_name: `it's "here" $HOME \\ now`, max_connections: '17' }
  await using server = await openEmbedded(await stand.ready(), { settings })
  const asked = `select current_setting('fsync') as fsync, current_setting('cluster_name') as cluster_name,
    current_setting('max_connections') as max_connections`
  expect(await query(server.url('freshet'), asked)).toEqual([settings])
})

test('knows letters beyond ASCII and orders by code point', async () => {
  await using server = await openEmbedded(await stand.ready(), fast)
  const text = `select to_tsvector('simple', 'Größe ÄRMEL')::text as words, upper('größe') as upper,
    (select array_agg(word order by word) from unnest(array['a', 'B', 'ä', 'Z']) as word) as ordered`
  expect(await query(server.url('freshet'), text)).toEqual([
    { words: `'größe':1 'ärmel':2`, upper: 'GRÖßE', ordered: ['B', 'Z', 'a', 'ä'] },
  ])
})

test('starts on an existing directory in well under 1.5 s', async () => {
  const dir = await stand.ready()
  const durationsMs: number[] = []
  for (let round = 1; round <= 3; round++) {
    const startedAt = performance.now()
    await using _server = await openEmbedded(dir)
    durationsMs.push(performance.now() - startedAt)
  }
  expect(Math.min(...durationsMs)).toBeLessThan(1_500)
})

test('lets the server live on when its opener is killed: the next one attaches', async () => {
  const dir = await stand.ready()
  await using opener = await openElsewhere(dir)
  const pid = await pidOf(join(dir, 'postgres', 'data'))
  await opener.signal('SIGKILL')
  await using server = await openEmbedded(dir)
  expect({ attached: server.attached, port: server.port }).toEqual({ attached: true, port: opener.port })
  expect(await pidOf(server.dataDir)).toBe(pid)
})

test('lets the server live on when a Ctrl-C ends the process group of its opener', async () => {
  const dir = await stand.ready()
  await using opener = await openElsewhere(dir)
  const pid = await pidOf(join(dir, 'postgres', 'data'))
  await opener.signal('SIGINT')
  await using server = await openEmbedded(dir)
  expect(server.attached).toBe(true)
  expect(await pidOf(server.dataDir)).toBe(pid)
})

test('attaches a second process; the last to leave stops the server, not the first', async () => {
  const dir = await stand.ready()
  await using first = await openElsewhere(dir)
  const second = await openEmbedded(dir)
  expect([first.attached, second.attached]).toEqual([false, true])
  expect(second.port).toBe(first.port)
  await first.leave()
  expect(await query(second.url('freshet'), 'select value from kept')).toEqual([{ value: 1 }])
  expect(await countStops(dir)).toBe(0)
  await Promise.all([second[Symbol.asyncDispose](), second[Symbol.asyncDispose]()])
  expect(second[Symbol.asyncDispose]()).toBe(second[Symbol.asyncDispose]())
  expect(await countStops(dir)).toBe(1)
  expect(await findPostmaster(second.dataDir)).toBeUndefined()
})

test('brings up ten processes on one server when they start at once on an empty directory', async () => {
  const dir = stand.empty()
  await using openers = new AsyncDisposableStack()
  const all = await Promise.all(Array.from({ length: 10 }, async () => openers.use(await openElsewhere(dir))))
  expect(all.filter((opener) => !opener.attached)).toHaveLength(1)
  expect(new Set(all.map((opener) => opener.port)).size).toBe(1)
  expect(await readdir(dir)).toEqual(['postgres'])
  expect(await readFile(join(dir, 'postgres', 'port'), 'utf8')).toBe(`${all[0]?.port}\n`)
  await Promise.all(all.map((opener) => opener.leave()))
  expect(await countStops(dir)).toBe(1)
})

test('does not run ten times initdb for ten that start at once', async () => {
  const owner = await findOwner()
  const dir = stand.empty()
  const place = await findPlace(dir, owner)
  const initdb = `for a; do case $a in --pgdata=*) d=\${a#*=};; esac; done
    echo run >> "${dir}/bin/runs"; mkdir "$d"; echo 18 > "$d/PG_VERSION"; sleep 0.3`
  const binDir = await standIns(join(dir, 'bin'), { initdb })
  await writeFile(join(binDir, 'runs'), '')
  await chmod(join(binDir, 'runs'), 0o666)
  const make = () => ensureCluster({ place, binaries: { binDir, version: '18.4' }, owner })
  const passwords = await Promise.all(Array.from({ length: 10 }, make))
  expect(new Set(passwords).size).toBe(1)
  expect((await readFile(join(binDir, 'runs'), 'utf8')).split('run').length - 1).toBeLessThan(10)
})

test('is stopped exactly once by two that leave at the same moment', async () => {
  const dir = await stand.ready()
  for (let round = 1; round <= 5; round++) {
    const both = await Promise.all([openEmbedded(dir, fast), openEmbedded(dir, fast)])
    await Promise.all(both.map((server) => server[Symbol.asyncDispose]()))
    expect(await findPostmaster(both[0].dataDir)).toBeUndefined()
    expect(await countStops(dir)).toBe(round)
  }
})

test('does not count a process that was killed', async () => {
  const dir = await stand.ready()
  const server = await openEmbedded(dir, fast)
  await using killed = await openElsewhere(dir)
  await killed.signal('SIGKILL')
  await untilOneAnchor(server.url('postgres'))
  await server[Symbol.asyncDispose]()
  expect(await findPostmaster(server.dataDir)).toBeUndefined()
})

/** Stands in for another process that is leaving or arriving, and holds the lock under which that happens. */
async function aDecider(url: string, mode: '' | '_shared') {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const count = async (text: string) => (await client.query<{ count: number }>(text)).rows[0]?.count
  await client.query(`select pg_advisory_lock${mode}($1, $2)`, departureLock)
  return {
    client,
    release: () => client.query(`select pg_advisory_unlock${mode}($1, $2)`, departureLock),
    untilSomebodyWaits: () =>
      until('somebody waits', async () => (await count(`select count(*)::int from pg_locks where not granted`)) === 1),
    untilAnchorsAre: (number: number) =>
      until(`there are ${number} anchors`, async () => (await count(anchors)) === number),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

test('starts the server again for one who arrives while it is being stopped', async () => {
  const dir = await stand.ready()
  const leaving = await openEmbedded(dir, fast)
  const pid = await pidOf(leaving.dataDir)
  await using decider = await aDecider(leaving.url('postgres'), '')
  const arriving = openEmbedded(dir, fast)
  await decider.untilSomebodyWaits()
  await endServer(leaving.dataDir, 'SIGINT')
  await using server = await arriving
  expect(server.attached).toBe(false)
  expect(await pidOf(server.dataDir)).not.toBe(pid)
  await leaving[Symbol.asyncDispose]()
  expect(await query(server.url('freshet'), 'select value from kept')).toEqual([{ value: 1 }])
})

test('does not attach to a server that has begun to stop, even if it still answers', async () => {
  const dir = await stand.ready()
  await using first = await openEmbedded(dir, fast)
  const file = join(first.dataDir, 'postmaster.pid')
  const text = await readFile(file, 'utf8')
  await using decider = await aDecider(first.url('postgres'), '')
  const arriving = openEmbedded(dir, fast)
  await decider.untilSomebodyWaits()
  await writeFile(file, text.replace('ready   ', 'stopping'))
  await decider.release()
  await decider.untilAnchorsAre(1)
  await writeFile(file, text)
  await using server = await arriving
  expect(server.attached).toBe(true)
  await decider.untilAnchorsAre(2)
})

test('waits, before it decides to stop the server, for one who is arriving', async () => {
  const dir = await stand.ready()
  const server = await openEmbedded(dir, fast)
  await using arriving = await aDecider(server.url('postgres'), '_shared')
  const left = server[Symbol.asyncDispose]()
  await arriving.untilSomebodyWaits()
  await arriving.client.query(`set application_name = 'freshet:anchor'`)
  await arriving.release()
  await left
  await arriving.untilAnchorsAre(1)
  expect(await countStops(dir)).toBe(0)
})

test('counts no longer from the moment it decides to leave: its connection outlives its lock by a little', async () => {
  const dir = await stand.ready()
  const server = await openEmbedded(dir, fast)
  const password = new URL(server.url('postgres')).password
  const last = await holdAnchor(server.port, password, async () => {})
  await server[Symbol.asyncDispose]()
  const counted: unknown[] = []
  await last.leave(async () => {
    counted.push(await query(server.url('postgres'), anchors))
    await endServer(server.dataDir, 'SIGINT')
  })
  expect(counted).toEqual([[{ count: 0 }]])
})

test('survives leaving and arriving at the same moment', async () => {
  const dir = await stand.ready()
  let server = await openEmbedded(dir, fast)
  for (let round = 1; round <= 4; round++) {
    const [next] = await Promise.all([openEmbedded(dir, fast), server[Symbol.asyncDispose]()])
    expect(await query(next.url('freshet'), 'select value from kept')).toEqual([{ value: 1 }])
    server = next
  }
  await server[Symbol.asyncDispose]()
  expect(await findPostmaster(server.dataDir)).toBeUndefined()
})

test('holds on again after its connection was cut, so that nobody stops the server under it', async () => {
  const dir = await stand.ready()
  await using server = await openEmbedded(dir, fast)
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'freshet:anchor'`
  await query(server.url('postgres'), cut)
  await untilOneAnchor(server.url('postgres'))
  await using other = await openElsewhere(dir)
  await other.leave()
  expect(await query(server.url('freshet'), 'select value from kept')).toEqual([{ value: 1 }])
  expect(await countStops(dir)).toBe(0)
})

test('lets go of a server that is already gone', async () => {
  const server = await openEmbedded(await stand.ready(), fast)
  await endServer(server.dataDir, 'SIGKILL')
  await server[Symbol.asyncDispose]()
  expect(await findPostmaster(server.dataDir)).toBeUndefined()
})

test('says so when the running server does not take the password in the file', async () => {
  const dir = await stand.ready()
  await using _server = await openEmbedded(dir, fast)
  const file = join(dir, 'postgres', 'password')
  await writeFile(file, 'forgotten\n')
  await expect(openEmbedded(dir)).rejects.toMatchObject({
    code: 'PASSWORD_REFUSED',
    message: expect.stringContaining(file),
    hint: expect.stringContaining('DATABASE_URL'),
  })
})
