import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { standardLimits } from '../../../../src/domain/feeds/transport/limits.ts'
import { sftpUser, startSftpServer } from '../../../support/sftp-server.ts'
import { until } from '../../../support/until.ts'
import { openStand, someBytes } from './stand.ts'

const server = await startSftpServer()
const stand = await openStand()
const content = someBytes(3_000_001)
const { connection } = server
beforeEach(() => {
  server.mend()
  server.serve(content)
})
afterEach(async () => {
  await stand.expectNothingLeft()
  await until('the server has no connection left', () => server.connections.size === 0)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await stand[Symbol.asyncDispose]()
})

/** Passes each connection on to the port that is its turn. */
async function startForwarder(nextPort: () => number) {
  const server = createServer((near) => {
    const far = connect(nextPort(), '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => {}).on('close', () => to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: async () => void server.close() }
}

test('issue 5 §1: a file of exactly the limit comes, one byte more does not', async () => {
  expect((await stand.read(connection, { maxBytes: content.length })).bytes).toBe(content.length)
  server.reads.length = 0
  const known = await stand.fail(connection, { maxBytes: content.length - 1 })
  expect([known.code, known.kind]).toEqual(['FILE_SIZE_LIMIT_EXCEEDED', 'final'])
  expect(server.reads).toEqual([])
})

test('issue 5 §1: where the size is not known, the download stops at the byte that passes the limit', async () => {
  server.faults.stat = ({ mtime }) => ({ mtime })
  const progress: number[] = []
  const { code } = await stand.fail(connection, { maxBytes: 100_000, onProgress: ({ bytes }) => progress.push(bytes) })
  expect(code).toBe('FILE_SIZE_LIMIT_EXCEEDED')
  expect(Math.max(...progress)).toBeLessThanOrEqual(100_000)
})

test.each([2 ** 53, 2 ** 40])('FAULTS S6: an absurd size (%s) is over every limit', async (size) => {
  server.faults.stat = (found) => ({ ...found, size })
  expect((await stand.fail(connection)).code).toBe('FILE_SIZE_LIMIT_EXCEEDED')
})

test.each(Array.from({ length: 9 }, (_, tenth) => tenth + 1))(
  'FAULTS R12: cut at %s tenths, the download goes on there and comes out whole',
  async (tenth) => {
    server.faults.cutAfter = { bytes: (content.length * tenth) / 10, times: 1 }
    const { content: came, events } = await stand.read(connection)
    expect(came.equals(content)).toBe(true)
    const retry = events.find(({ event }) => event === 'DOWNLOAD_RETRY')
    expect(retry).toMatchObject({ level: 'warn', attempt: 1, maxAttempts: 4, retryInMs: 0 })
    expect(server.reads).toContain(retry?.bytesDownloaded)
  },
)

test('FAULTS R12: cut before the first byte, it may be tried later', async () => {
  server.faults.cutAfter = { bytes: 0, times: 1 }
  const { code, kind } = await stand.fail(connection)
  expect([code, kind]).toEqual(['TRANSFER_INTERRUPTED', 'transient'])
})

test('RULINGS 23: after a cut the file is read from its beginning if it is not the same any more', async () => {
  const other = someBytes(content.length)
  server.faults.cutAfter = { bytes: 1_600_000, times: 1 }
  server.faults.whenAt = { bytes: 1_500_000, act: () => server.serve(other, new Date('2026-02-02')) }
  const { content: came, stat } = await stand.read(connection)
  expect(came.equals(other)).toBe(true)
  expect(stat.mtime).toEqual(new Date('2026-02-02'))
})

test.each([
  ['the time', ({ size }: object & { size?: number }) => ({ size })],
  ['the size', ({ mtime }: object & { mtime?: number }) => ({ mtime })],
])('RULINGS 23: after a cut the file is read from its beginning where %s is not known', async (_what, stat) => {
  server.faults.cutAfter = { bytes: 1_600_000, times: 1 }
  server.faults.stat = stat
  expect((await stand.read(connection)).content.equals(content)).toBe(true)
  expect(server.reads.filter((offset) => offset === 0)).toHaveLength(2)
})

test('issue 5 §1: a line that breaks again and again is given up, and may be tried later', async () => {
  server.faults.cutAfter = { bytes: 200_000, times: 99 }
  const { code, kind, events } = await stand.fail(connection)
  expect([code, kind]).toEqual(['TRANSFER_INTERRUPTED', 'transient'])
  expect(events.filter(({ event }) => event === 'DOWNLOAD_RETRY')).toHaveLength(3)
  expect(events.at(-1)).toMatchObject({ event: 'DOWNLOAD_FAILED', willRetry: true })
  const last = await stand.fail(connection, { isLastAttempt: true })
  expect(last.events.at(-1)).toMatchObject({ event: 'DOWNLOAD_FAILED', willRetry: false })
})

test('issue 5 §1: a host key learned before a cut holds after it', async () => {
  server.faults.cutAfter = { bytes: 1_600_000, times: 1 }
  expect((await stand.read(connection)).learned).toEqual([server.fingerprint])
})

test('FAULTS S6: another host key after a cut is refused, though the feed has no pin yet', async () => {
  await using other = await startSftpServer()
  const ports = [connection.port, other.connection.port]
  await using way = await startForwarder(() => ports.shift()!)
  server.faults.cutAfter = { bytes: 1_600_000, times: 1 }
  const { code, message } = await stand.fail({ ...connection, port: way.port })
  expect([code, other.logins]).toEqual(['HOST_KEY_CHANGED', []])
  expect(message).toContain(`shows the host key ${other.fingerprint}. Accepted is ${server.fingerprint}.`)
})

test.each([
  ['longer', () => server.serve(Buffer.concat([content, content]))],
  ['shorter', () => server.serve(content.subarray(0, 2_999_000))],
  ['newer', () => server.serve(content, new Date('2026-03-03'))],
])('RULINGS 23: a file that becomes %s while it is read is refused, and may be tried later', async (_what, act) => {
  server.faults.whenAt = { bytes: 2_900_000, act }
  const { code, kind, message } = await stand.fail(connection)
  expect([code, kind]).toEqual(['FEED_FILE_CHANGED', 'transient'])
  expect(message).toMatch(/bytes, now|last changed/)
})

test('issue 5 §1: a file that ends before its size is not taken for whole', async () => {
  server.faults.endAt = 400_000
  const { code, kind, message } = await stand.fail(connection)
  expect([code, kind]).toEqual(['TRANSFER_INCOMPLETE', 'transient'])
  expect(message).toContain('400000 bytes arrived, but the server says that the file has 3000001')
})

test('issue 5 §1: a server that falls silent is given up after the idle limit', async () => {
  server.faults.stallAfter = 1_600_000
  const { code, kind, message } = await stand.fail(connection, { limits: { idleMs: 100 } })
  expect([code, kind]).toEqual(['TRANSFER_TIMED_OUT', 'transient'])
  expect(message).toMatch(/hardly anything came for 0.1 s, after \d+ bytes/)
})

test('FAULTS S6: a server that sends a byte now and then is given up after the idle limit', async () => {
  Object.assign(server.faults, { mostAtOnce: 1, slowMs: 10 })
  const { code } = await stand.fail(connection, { limits: { idleMs: 200 } })
  expect(code).toBe('TRANSFER_TIMED_OUT')
})

test('issue 5 §1: a download that goes on and on ends at the total limit', async () => {
  Object.assign(server.faults, { mostAtOnce: 200, slowMs: 5 })
  const { code, message } = await stand.fail(connection, { limits: { totalMs: 200 } })
  expect([code, message]).toEqual([
    'TRANSFER_TIMED_OUT',
    `127.0.0.1:${server.port}/feeds/catalog.csv: the download took longer than 0.2 s.`,
  ])
})

test('issue 5 §1: the limits, where nothing else is asked for', () => {
  expect(standardLimits).toEqual({ connectMs: 30_000, idleMs: 60_000, totalMs: 7_200_000 })
})

test('RULINGS 23: a download takes away the file of a process that was killed before its file had lost its name', async () => {
  await writeFile(join(stand.dir, 'feed-99999999-1-abc.part'), 'of the dead')
  expect((await stand.read(connection)).bytes).toBe(content.length)
  expect(await readdir(stand.dir)).toEqual([])
})

test('a job that is taken away gives the download up with the reason it was given', async () => {
  const taken = new AbortController()
  const reason = new Error('taken away')
  const { error } = await stand.fetch(connection, { signal: taken.signal, onProgress: () => taken.abort(reason) })
  expect(error).toBe(reason)
  const { error: before } = await stand.fetch(connection, { signal: AbortSignal.abort(reason) })
  expect(before).toBe(reason)
})

test('S2 §17.4: what the log tells of a download', async () => {
  const lastKnown = { size: 5, mtime: new Date('2025-01-01') }
  const { events, text } = await stand.read(connection, { lastKnown })
  expect(events.map(({ event }) => event)).toEqual([
    'DOWNLOAD_START',
    'FTP_CONNECTED',
    'FILE_STAT',
    ...Array.from({ length: 10 }, () => 'DOWNLOAD_PROGRESS'),
    'DOWNLOAD_COMPLETE',
  ])
  expect(events[0]).toMatchObject({
    level: 'info',
    host: '127.0.0.1',
    port: server.port,
    path: server.path,
    transport: 'SFTP',
  })
  expect(events[1]).toMatchObject({ level: 'debug', host: '127.0.0.1', connectionTimeMs: expect.any(Number) as number })
  expect(events[2]).toMatchObject({
    level: 'debug',
    remoteMtime: '2026-01-02T03:04:05.000Z',
    remoteSize: content.length,
    lastKnownMtime: '2025-01-01T00:00:00.000Z',
    lastKnownSize: 5,
  })
  expect(events[3]).toMatchObject({ level: 'debug', percentComplete: 10, totalBytes: content.length })
  expect(events.at(-1)).toMatchObject({
    level: 'info',
    bytes: content.length,
    durationMs: expect.any(Number) as number,
    compressionType: 'none',
  })
  expect(text).not.toContain(sftpUser.password)
  const { events: skipped } = await stand.fetch(connection, { isUnchanged: () => true })
  expect(skipped.at(-1)).toMatchObject({
    event: 'DOWNLOAD_SKIPPED_UNCHANGED',
    level: 'info',
    reason: 'UNCHANGED_MTIME',
  })
})

test.each([
  ['gzip', [0x1f, 0x8b, 8, 0]],
  ['zip', [0x50, 0x4b, 3, 4]],
  ['none', [0x53]],
])('S2 §17.4: %s is told by its first bytes', async (compressionType, beginning) => {
  server.serve(Buffer.from(beginning))
  expect((await stand.read(connection)).events.at(-1)).toMatchObject({ event: 'DOWNLOAD_COMPLETE', compressionType })
})
