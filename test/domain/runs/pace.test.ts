import { expect, test } from 'vitest'
import { paceOf } from '../../../src/domain/runs/pace.ts'
import { at } from '../../support/moment.ts'

const start = at()
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000)

test('issue 5 §7: a download tells its rate, its part of the whole and what is left', () => {
  const event = { stage: 'DOWNLOAD', counters: { downloadBytes: 250, downloadTotal: 1_000 }, at: later(5) }
  expect(paceOf(event, start)).toEqual({
    bytes: 250,
    totalBytes: 1_000,
    bytesPerSecond: 50,
    rows: null,
    rowsPerSecond: null,
    percent: 25,
    secondsLeft: 15,
  })
})

test('issue 5 §7: parsing is measured by the bytes of the file, and tells its rows', () => {
  const event = { stage: 'PARSE', counters: { downloadBytes: 1_000, bytesParsed: 500, rowsRead: 40 }, at: later(2) }
  expect(paceOf(event, start)).toMatchObject({ rows: 40, rowsPerSecond: 20, percent: 50, secondsLeft: 2 })
})

test('a file that turns out larger than the server said is done at 100 %, with nothing left', () => {
  const event = { stage: 'DOWNLOAD', counters: { downloadBytes: 1_500, downloadTotal: 1_000 }, at: later(5) }
  expect(paceOf(event, start)).toMatchObject({ bytes: 1_500, percent: 100, secondsLeft: 0 })
})

test('where the server does not say how large the file is, nobody knows what is left', () => {
  const event = { stage: 'DOWNLOAD', counters: { downloadBytes: 250 }, at: later(5) }
  expect(paceOf(event, start)).toMatchObject({ bytesPerSecond: 50, percent: null, secondsLeft: null, totalBytes: null })
})

test('a stage without a measure has no pace, nor has one that began this moment', () => {
  expect(paceOf({ stage: 'PROMOTE', counters: {}, at: later(5) }, start)).toBeNull()
  expect(paceOf({ stage: null, counters: {}, at: later(5) }, start)).toBeNull()
  expect(paceOf({ stage: 'PARSE', counters: {}, at: start }, start)).toBeNull()
})
