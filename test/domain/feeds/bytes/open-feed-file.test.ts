import { constants, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openFeedFile } from '../../../../src/domain/feeds/bytes/open-feed-file.ts'
import { JobError, PermanentError } from '../../../../src/domain/queue/job-error.ts'
import { readFeed, withFile, zip } from '../feed-file.ts'

const csv = 'sku,title\n1,Grüße\n'
/** Rows that do not pack well, so that a cut anywhere hits data. */
const rows = (count: number) =>
  Array.from({ length: count }, (_, row) => createHash('sha256').update(`${row}`).digest('hex')).join('\n')

test.each([
  ['plain text', Buffer.from(csv), 'NONE'],
  ['gzip', gzipSync(csv), 'GZIP'],
  ['gzip of several members', Buffer.concat([gzipSync('sku,title\n'), gzipSync('1,Grüße\n')]), 'GZIP'],
  ['gzip with an empty member', Buffer.concat([gzipSync(''), gzipSync(csv)]), 'GZIP'],
  ['gzip padded with zeros', Buffer.concat([gzipSync(csv), Buffer.alloc(512)]), 'GZIP'],
])('issue 5 §1: %s is known by its first bytes and read to its end', async (_, bytes, compression) => {
  const { file, text, failure } = await readFeed(bytes)
  expect(failure).toBeUndefined()
  expect(text).toBe(csv)
  expect(file?.compression).toBe(compression)
  expect(file?.seen).toEqual({ bytesIn: bytes.length, bytesOut: Buffer.byteLength(csv) })
})

test.each([
  ['deflated', { 'feed.csv': csv }, {}],
  ['stored', { 'feed.csv': csv }, { compress: false }],
  ['beside a folder', { 'data/': '', 'feed.csv': csv }, {}],
  ['beside what macOS adds', { 'feed.csv': csv, '__MACOSX/._feed.csv': 'x' }, {}],
])('issue 5 §1: a zip archive with one file is read: %s', async (_, files, options) => {
  const { file, text, failure } = await readFeed(await zip(files, options))
  expect(failure).toBeUndefined()
  expect(text).toBe(csv)
  expect(file).toMatchObject({ compression: 'ZIP', entry: 'feed.csv', seen: { bytesOut: Buffer.byteLength(csv) } })
})

/** The archive with a byte of its list of files changed. */
async function zipWith(place: number, byte: number): Promise<Buffer> {
  const archive = await zip({ 'feed.csv': csv })
  archive[archive.indexOf('PK\u0001\u0002') + place] = byte
  return archive
}

test.each([
  ['of several files', () => zip({ 'a.csv': csv, 'b.csv': csv }), 'several files ("a.csv", "b.csv")'],
  ['of folders alone', () => zip({ 'data/': '' }), 'holds no file'],
  ['of nothing', () => zip({}), 'holds no file'],
  [
    'of a thousand folders',
    () => zip(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`${n}/`, '']))),
    'more than 1000 entries',
  ],
  ['that is encrypted', () => zipWith(8, 1), 'is encrypted ("feed.csv")'],
  ['packed by bzip2', () => zipWith(10, 12), 'packs "feed.csv" by method 12'],
])('issue 5 §1: a zip archive %s is refused for good', async (_, archive, message) => {
  const { failure, text } = await readFeed(await archive())
  expect(failure).toBeInstanceOf(PermanentError)
  expect(failure).toMatchObject({ code: 'FILE_ARCHIVE_REFUSED', message: expect.stringContaining(message) })
  expect(text).toBe('')
})

test.each([
  ['a wrong checksum', 16, 'checksum'],
  ['a wrong length', 24, 'length'],
])('FAULTS R12: a zip archive with %s fails after its text, and may be tried again', async (_, place, what) => {
  const { failure, text } = await readFeed(await zipWith(place, 7))
  expect(failure).not.toBeInstanceOf(PermanentError)
  expect(failure).toMatchObject({ code: 'FILE_CORRUPT', message: expect.stringContaining(what) })
  expect(text).toBe(csv)
})

test('FAULTS R12: a zip archive that was cut is told as such', async () => {
  const archive = await zip({ 'feed.csv': csv })
  const { failure } = await readFeed(archive.subarray(0, -30))
  expect(failure).toMatchObject({ code: 'FILE_TRUNCATED' })
})

test.each([10, 20, 30, 40, 50, 60, 70, 80, 90, 99])(
  'RULINGS 23: a gzip file cut at %i %% fails transiently, after all the text before the cut',
  async (percent) => {
    const packed = gzipSync(rows(10_000))
    const cut = packed.subarray(0, (packed.length * percent) / 100)
    const { failure, text } = await readFeed(cut)
    expect(failure).toBeInstanceOf(JobError)
    expect(failure).not.toBeInstanceOf(PermanentError)
    expect(failure).toMatchObject({ code: 'FILE_TRUNCATED' })
    expect(text).toBe(gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH }).toString())
  },
)

test.each([
  ['a wrong CRC', -6],
  ['a wrong length', -1],
])('RULINGS 23: a gzip file with %s fails transiently, after all of its text', async (_, place) => {
  const all = rows(5_000)
  const packed = gzipSync(all)
  packed[packed.length + place] = (packed.at(place) ?? 0) ^ 1
  const { failure, text } = await readFeed(packed)
  expect(failure).not.toBeInstanceOf(PermanentError)
  expect(failure).toMatchObject({ code: 'FILE_CORRUPT' })
  expect(text).toBe(all)
})

test.each([
  ['something else', Buffer.from('<html>')],
  ['zeros and then something else', Buffer.from('\0\0\0\0<html>')],
  ['zeros and then another member', Buffer.concat([Buffer.alloc(40_000), gzipSync(csv)])],
])('RULINGS 23: a gzip file followed by %s is damaged, never a shorter one', async (_, more) => {
  const { failure, text } = await readFeed(Buffer.concat([gzipSync(csv), more]))
  expect(failure).toMatchObject({ code: 'FILE_CORRUPT' })
  expect(text).toBe(csv)
})

const bomb = Buffer.alloc(40 * 1024 * 1024, 'a')

test.each([
  ['gzip', () => gzipSync(bomb)],
  ['zip', () => zip({ 'feed.csv': bomb.toString() })],
])('FAULTS S3: a %s bomb is stopped at its ratio', async (_, pack) => {
  const { failure, text } = await readFeed(await pack(), { limits: { ratio: 100, bytes: 1e9 } })
  expect(failure).toBeInstanceOf(PermanentError)
  expect(failure).toMatchObject({
    code: 'FILE_EXPANSION_LIMIT_EXCEEDED',
    message: expect.stringContaining('more than 100 times its size'),
  })
  expect(text.length).toBeLessThanOrEqual(16 * 1024 * 1024)
})

test.each([
  ['gzip', () => gzipSync(bomb)],
  ['zip', () => zip({ 'feed.csv': bomb.toString() })],
])('FAULTS S3: a %s bomb is unpacked no further than it is read, and its memory given back', async (_, pack) => {
  await withFile(await pack(), async (handle) => {
    const limits = { ratio: 2_000, bytes: 1e9 }
    const before = process.memoryUsage().arrayBuffers
    const { text, seen } = await openFeedFile(handle, { limits, signal: new AbortController().signal })
    let longest = 0
    let most = 0
    for await (const piece of text) {
      longest = Math.max(longest, piece.length)
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    expect(seen.bytesOut).toBe(bomb.length)
    expect(longest).toBeLessThanOrEqual(128 * 1024)
    expect(most).toBeLessThan(4e6)
  })
})

test('FAULTS S3: a small file of one repeated line is no bomb', async () => {
  const { failure, text } = await readFeed(gzipSync(bomb.subarray(0, 16 * 1024 * 1024)), {
    limits: { ratio: 2, bytes: 1e9 },
  })
  expect(failure).toBeUndefined()
  expect(text).toHaveLength(16 * 1024 * 1024)
})

test('issue 5 §1: a file may unpack to as many bytes as are allowed, and not to one more', async () => {
  const packed = gzipSync(csv)
  const bytes = Buffer.byteLength(csv)
  expect(await readFeed(packed, { limits: { ratio: 100, bytes } })).toMatchObject({ text: csv })
  const over = await readFeed(packed, { limits: { ratio: 100, bytes: bytes - 1 } })
  expect(over.failure).toMatchObject({ code: 'FILE_EXPANSION_LIMIT_EXCEEDED' })
})

test('a zip entry that holds more than its list says is damaged', async () => {
  const archive = await zip({ 'feed.csv': csv })
  const packed = deflateRawSync(`${csv}${csv}`)
  const start = 30 + 'feed.csv'.length
  const listed = archive.subarray(archive.indexOf('PK\u0001\u0002'))
  listed.writeUInt32LE(packed.length, 20)
  const forged = Buffer.concat([archive.subarray(0, start), packed, listed])
  forged.writeUInt32LE(start + packed.length, forged.length - 6)
  expect((await readFeed(forged)).failure).toMatchObject({ code: 'FILE_CORRUPT' })
})

test('reading stops when the job is told to', async () => {
  const stop = new AbortController()
  const outcome = await withFile(gzipSync(rows(20_000)), async (handle) => {
    const { text } = await openFeedFile(handle, { signal: stop.signal })
    const pieces = text[Symbol.asyncIterator]()
    expect(await pieces.next()).toMatchObject({ done: false })
    stop.abort(new Error('stopped'))
    const rest = async () => {
      while (!(await pieces.next()).done);
    }
    await expect(rest()).rejects.toThrow('stopped')
    return handle.stat()
  })
  expect(outcome.size).toBeGreaterThan(0)
})

test('a file that is left before its end is let go of', async () => {
  await withFile(gzipSync(rows(20_000)), async (handle) => {
    const { text } = await openFeedFile(handle, { signal: new AbortController().signal })
    for await (const piece of text) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    expect((await handle.stat()).size).toBeGreaterThan(0) // still the caller's
  })
})

test('FAULTS S13: the name inside a zip archive is kept short, and without the NUL that Postgres cannot keep', async () => {
  const long = await readFeed(await zip({ [`${'a'.repeat(60_000)}.csv`]: csv }))
  expect(long.file?.entry).toHaveLength(300)
  const named = Buffer.from((await zip({ 'fe.d.csv': csv })).toString('latin1').replaceAll('fe.d', 'fe\0d'), 'latin1')
  expect(await readFeed(named)).toMatchObject({ file: { entry: 'fe\uFFFDd.csv' }, text: csv })
})
