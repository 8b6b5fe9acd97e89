import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isUnchanged, looksUnchanged } from '../../../src/domain/feeds/unchanged.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day))
const sha256 = (text: string) => createHash('sha256').update(text).digest()

const known = {
  isForced: false,
  unchangedPolicy: 'KEEP' as const,
  lastRemoteMtime: at(1),
  lastRemoteSize: 10,
  lastContentHash: sha256('A'),
}
const same = { mtime: at(1), size: 10 }

test('S2 §9.5: a file whose time and size are both as they were is not downloaded', () => {
  expect(looksUnchanged(known, same)).toBe(true)
})

test.each([
  ['its time is another, though its size is the same', {}, { mtime: at(2), size: 10 }],
  ['its time is a millisecond older', {}, { mtime: new Date(at(1).getTime() - 1), size: 10 }],
  ['its size is another, though its time is the same', {}, { mtime: at(1), size: 11 }],
  ['the server knows no time', {}, { size: 10 }],
  ['the server knows no size', {}, { mtime: at(1) }],
  ['the server knows neither', {}, {}],
  ['no time was known before', { lastRemoteMtime: null }, same],
  ['no size was known before', { lastRemoteSize: null }, same],
  ['nothing was known before, nor is now', { lastRemoteMtime: null, lastRemoteSize: null }, {}],
  ['RULINGS 15: the feed is to be sure, for it shows its set again', { unchangedPolicy: 'REFRESH' as const }, same],
  ['issue 5 §1: somebody insists', { isForced: true }, same],
])('S2 §9.5: a file is downloaded where %s', (_why, feed, stat) => {
  expect(looksUnchanged({ ...known, ...feed }, stat)).toBe(false)
})

test.each([
  ['the hash is the one that was processed last', {}, 'A', true],
  ['the hash is another', {}, 'B', false],
  ['no file was processed before', { lastContentHash: null }, 'A', false],
  ['issue 5 §1: somebody insists', { isForced: true }, 'A', false],
  ['RULINGS 15: the feed shows its set again', { unchangedPolicy: 'REFRESH' as const }, 'A', true],
])('S2 §9.5: what was downloaded is told by its hash: %s', (_why, feed, content, unchanged) => {
  expect(isUnchanged({ ...known, ...feed }, sha256(content))).toBe(unchanged)
})
