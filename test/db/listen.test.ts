import { afterAll, expect, test } from 'vitest'
import { listen, listenTiming } from '../../src/db/listen.ts'
import { createLog } from '../../src/log.ts'
import { cloneDatabase } from '../support/database.ts'
import { collectLines } from '../support/lines.ts'
import { startMiddle } from '../support/middle.ts'
import { until } from '../support/until.ts'

const database = await cloneDatabase()
afterAll(() => database[Symbol.asyncDispose]())

/** A listener on a channel, and what it heard and how often it was told that it may have missed something. */
async function setup({
  url = database.url,
  channel = 'news',
  ...timing
}: { url?: string; channel?: string; probeMs?: number; answerMs?: number } = {}) {
  const { lines, stream } = collectLines()
  const listener = await listen(url, createLog({ level: 'debug', destination: stream }), timing)
  const heard: string[] = []
  let missed = 0
  const ear = listener.on(
    channel,
    (payload) => heard.push(payload),
    () => missed++,
  )
  await until('it listens', () => missed === 1)
  return {
    listener,
    heard,
    ear,
    log: lines,
    missed: () => missed,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

const notify = (payload: string, channel = 'news') =>
  database.pool.query('select pg_notify($1, $2)', [channel, payload])
const terminate = () =>
  database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'freshet:listen'",
  )
const connections = async () => {
  const { rowCount } = await database.pool.query(
    "select from pg_stat_activity where datname = current_database() and application_name = 'freshet:listen'",
  )
  return rowCount
}

test('what is said on its channel is heard in order, what is said elsewhere is not', async () => {
  await using ears = await setup()
  await notify('elsewhere', 'other')
  for (const word of ['a', 'b', '', 'c']) await notify(word)
  await until('all is heard', () => ears.heard.length === 4)
  expect(ears.heard).toEqual(['a', 'b', '', 'c'])
  expect(ears.listener.connected).toBe(true)
})

test('a channel may have any name', async () => {
  const channel = 'Odd "name"; select 1'
  await using ears = await setup({ channel })
  await notify('x', channel)
  await until('it is heard', () => ears.heard.length === 1)
})

test('one connection serves many, and each hears until it is disposed of', async () => {
  await using ears = await setup()
  const second: string[] = []
  let isTold = false
  const ear = ears.listener.on(
    'news',
    (payload) => second.push(payload),
    () => (isTold = true),
  )
  await until('the second is told that it listens', () => isTold)
  await notify('both')
  await until('both heard', () => second.length === 1 && ears.heard.length === 1)
  ear[Symbol.dispose]()
  await notify('one')
  await until('the first heard', () => ears.heard.length === 2)
  expect(second).toEqual(['both'])
  expect(await connections()).toBe(1)
})

test('a connection that is lost comes back, and all are told that they may have missed something', async () => {
  await using ears = await setup()
  for (let round = 1; round <= 3; round++) {
    await terminate()
    await until('it is told', () => ears.missed() === round + 1)
    await notify(`round ${round}`)
    await until('it hears again', () => ears.heard.length === round)
  }
  expect(await connections()).toBe(1)
  expect(ears.log.filter((line) => line.includes('the LISTEN connection was lost'))).toHaveLength(3)
  expect(ears.log.filter((line) => line.includes('the LISTEN connection is back'))).toHaveLength(3)
})

test('an ear that joins while the connection is down hears when it is back', async () => {
  await using ears = await setup()
  await terminate()
  await until('it is down', () => !ears.listener.connected)
  const late: string[] = []
  let isTold = false
  ears.listener.on(
    'late',
    (payload) => late.push(payload),
    () => (isTold = true),
  )
  await until('it is told', () => isTold)
  await notify('x', 'late')
  await until('it hears', () => late.length === 1)
})

test('an ear that fails harms neither the process nor the others', async () => {
  await using ears = await setup()
  const broken = () => {
    throw new Error('broken ear')
  }
  ears.listener.on('news', broken, broken)
  await notify('a')
  await until('the other hears', () => ears.heard.length === 1)
  await until('both failures are logged', () => ears.log.filter((line) => line.includes('broken ear')).length === 2)
})

test('a connection that dies without a sign is noticed and replaced', async () => {
  await using middle = await startMiddle(database.url)
  await using ears = await setup({ url: middle.url, probeMs: 50, answerMs: 300 })
  const probes = new Set<number>()
  await until('a few probes went well', async () => {
    const { rows } = await database.pool.query<{ at: Date }>(
      "select query_start as at from pg_stat_activity where datname = current_database() and application_name = 'freshet:listen' and query = 'select 1'",
    )
    for (const { at } of rows) probes.add(at.getTime())
    return probes.size === 3
  })
  middle.fallSilent()
  await until('the silence is noticed', () => ears.missed() === 2)
  await notify('after')
  await until('it hears again', () => ears.heard.length === 1)
})

test('R4: a dead connection is noticed and replaced within 30 s: probe, its answer, the first retry, connecting', () => {
  expect(listenTiming).toEqual({ probeMs: 10_000, answerMs: 5_000 })
  expect(listenTiming.probeMs + listenTiming.answerMs + 100 + listenTiming.answerMs).toBeLessThan(30_000)
})

test('disposed of, it leaves no connection, also when it had lost it', async () => {
  const ears = await setup()
  await ears[Symbol.asyncDispose]()
  await until('none is left', async () => (await connections()) === 0)
  const again = await setup()
  await terminate()
  await until('it is down', () => !again.listener.connected)
  await again[Symbol.asyncDispose]()
  await until('none is left', async () => (await connections()) === 0)
  expect(again.missed()).toBe(1)
})

test('disposed of in the middle of a connection, it does not wait for it', async () => {
  await using middle = await startMiddle(database.url)
  const ears = await setup({ url: middle.url, answerMs: 60_000 })
  middle.answerNoMore()
  await until('it tries to connect again', () => !ears.listener.connected && middle.open() === 1)
  await ears[Symbol.asyncDispose]()
  await until('it let go', () => middle.open() === 0)
})
