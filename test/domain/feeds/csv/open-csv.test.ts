import { expect, test } from 'vitest'
import { openCsv } from '../../../../src/domain/feeds/csv/open-csv.ts'
import type { Batch } from '../../../../src/domain/feeds/csv/format.ts'
import { peek } from '../../../../src/domain/feeds/csv/peek.ts'
import { PermanentError } from '../../../../src/domain/queue/job-error.ts'
import { inPieces, row } from './table.ts'

async function collect(batches: AsyncIterable<Batch>) {
  const all: Batch = { records: [], faults: [] }
  for await (const { records, faults } of batches) {
    all.records.push(...records)
    all.faults.push(...faults)
  }
  return all
}

test.each([[[]], [[1, 1, 1]], [[3, 7, 2]]])('a table is opened with its header, in pieces of %j', async (lengths) => {
  const { format, header, batches } = await openCsv(inPieces('\n sku ;title\n1;A\n2;B;C\n', lengths))
  expect(format).toEqual({ delimiter: ';', quoting: 'QUOTED', newline: '\n' })
  expect(header).toEqual(row(2, ' sku ', 'title'))
  const { records, faults } = await collect(batches)
  expect(records).toEqual([row(3, '1', 'A')])
  expect(faults).toEqual([expect.objectContaining({ line: 4, code: 'ROW_TOO_LONG' })])
})

test('FAULTS R13: a header alone is a table without rows', async () => {
  const { header, batches } = await openCsv(inPieces('sku,title\n'))
  expect(header.fields).toEqual(['sku', 'title'])
  expect(await collect(batches)).toEqual({ records: [], faults: [] })
})

const utf16 = Buffer.from('sku,title\n1,A\n', 'utf16le').toString('latin1')

test.each([
  ['nothing', '', 'FEED_EMPTY', 'is empty'],
  ['blank lines', ' \r\n\n\t', 'FEED_EMPTY', 'is empty'],
  [
    'an error page',
    '<!DOCTYPE html><html><head><title> 503, try later </title>',
    'FEED_NOT_CSV',
    'an HTML page with the title "503, try later"',
  ],
  ['part of a page', '\n<div>Not found</div>', 'FEED_NOT_CSV', 'an HTML page or XML'],
  ['XML', '<?xml version="1.0"?><rss>', 'FEED_NOT_CSV', 'XML'],
  ['JSON', '{"error": "not found"}', 'FEED_NOT_CSV', 'JSON'],
  ['a list in JSON', '[\n  {"id": 1}]', 'FEED_NOT_CSV', 'JSON'],
  ['PDF', '%PDF-1.7\n', 'FEED_NOT_CSV', 'a PDF document'],
  ['gzip in gzip', '\u001F‹\b', 'FEED_NOT_CSV', 'compressed twice'],
  ['zip in gzip', 'PK\u0003\u0004', 'FEED_NOT_CSV', 'a zip archive inside'],
  ['UTF-16 without a mark', utf16, 'FEED_NOT_CSV', 'UTF-16 without a byte order mark'],
  ['a picture', '\u0089PNG\u0000\u0000\u0000abc', 'FEED_NOT_CSV', 'a binary file'],
])('FAULTS R13: %s is no table, for good', async (_, text, code, message) => {
  const refused = openCsv(inPieces(text))
  await expect(refused).rejects.toBeInstanceOf(PermanentError)
  await expect(refused).rejects.toMatchObject({ code, message: expect.stringContaining(message) })
})

test.each([['[sku],title\n1,A'], ['sku,title\n1,"<html>"'], ['{sku},title\n1,A'.slice(1)]])(
  '%j is a table',
  async (text) => {
    expect((await openCsv(inPieces(text))).header.fields).toHaveLength(2)
  },
)

test('FAULTS S16: a hostile page is known at once', async () => {
  const began = performance.now()
  await expect(openCsv(inPieces('<title'.repeat(11_000)))).rejects.toMatchObject({ code: 'FEED_NOT_CSV' })
  expect(performance.now() - began).toBeLessThan(500)
})

test('a header over the limit of a row is told as such', async () => {
  const opened = openCsv(inPieces(`${'x'.repeat(30)}\n1\n`), { limits: { characters: 20, rows: 9 } })
  await expect(opened).rejects.toMatchObject({
    code: 'FEED_HEADER_UNUSABLE',
    message: 'The header in line 1 cannot be read. The row has more than 20 characters.',
  })
})

test('a peek loses nothing, and sees no more than it was asked for', async () => {
  const { sample, isWhole, text } = await peek(inPieces('abcdefgh', [3, 3]), 4)
  expect([sample, isWhole]).toEqual(['abcd', false])
  expect((await Array.fromAsync(text)).join('')).toBe('abcdefgh')
  expect(await peek(inPieces('abcd'), 4)).toMatchObject({ sample: 'abcd', isWhole: false })
  expect(await peek(inPieces('abc'), 4)).toMatchObject({ sample: 'abc', isWhole: true })
})

test('the first rows are seen ahead, those that are complete, and come again', async () => {
  const text = `sku,title\n${Array.from({ length: 2_000 }, (_, n) => `${n},A`).join('\n')}`
  const { firstRows, batches } = await openCsv(inPieces(text, [100, 9]))
  expect(firstRows).toHaveLength(1_000)
  const { records } = await collect(batches)
  expect(records).toHaveLength(2_000)
  expect(firstRows).toEqual(records.slice(0, 1_000))
  expect((await openCsv(inPieces('sku\n1\n2'))).firstRows).toEqual([row(2, '1'), row(3, '2')])
  const long = `sku,title\n1,A\n2,${'x'.repeat(2_000_000)}`
  expect((await openCsv(inPieces(long))).firstRows).toEqual([row(2, '1', 'A')])
})

test('RULINGS 23: what is wrong behind the start of a file comes after the rows before it', async () => {
  const cut = async function* () {
    yield 'sku,title\n1,A\n2,'
    throw new Error('cut')
  }
  const { batches } = await openCsv(cut())
  const rows: unknown[] = []
  const reading = async () => {
    for await (const { records } of batches) rows.push(...records)
  }
  await expect(reading()).rejects.toThrow('cut')
  expect(rows).toEqual([row(2, '1', 'A')])
})

test('a file that fails before its first letter is not called empty', async () => {
  // oxlint-disable-next-line require-yield
  const dead = async function* (): AsyncGenerator<string> {
    throw new Error('cut')
  }
  await expect(openCsv(dead())).rejects.toThrow('cut')
})

test('a table that is left before its end lets go of its file', async () => {
  let isLetGo = false
  const endless = async function* () {
    try {
      yield 'sku,title\n'
      for (;;) yield '1,A\n'.repeat(20_000)
    } finally {
      isLetGo = true
    }
  }
  const { batches } = await openCsv(endless())
  for await (const { records } of batches) {
    expect(records.length).toBeGreaterThan(0)
    break
  }
  expect(isLetGo).toBe(true)
})
