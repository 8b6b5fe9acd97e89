import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import yazl from 'yazl'

const header = 'CatalogItemId,Name,Url,CurrentPrice,Currency,StockAvailability,Manufacturer\n'
const good = (n: number) => `i${n},Product ${n},https://shop.example/p/${n},10.00,USD,InStock,B\n`
const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => good(from + index)).join('')
const packed = (text: string | Buffer) => gzipSync(text, { level: 1 })
const zip = (file: Buffer) => {
  const archive = new yazl.ZipFile()
  archive.addBuffer(file, 'feed.csv', { compressionLevel: 1 })
  archive.end()
  return buffer(archive.outputStream)
}
const times = (count: number, part: Buffer) => Array.from({ length: count }, () => part)
/** Members of a gzip file one behind the other, the first with the header and some rows. */
const members = (each: Buffer, count: number) => Buffer.concat([packed(header + rows(1, 100)), ...times(count, each)])

const mb = 1_000_000
/** Letters that pack to about a hundredth: under the limit of what a file may unpack to for its size. */
const dense = (bytes: number) => {
  const block = randomBytes(12_000).toString('base64').replaceAll('/', 'x')
  return Buffer.alloc(bytes, block)
}

type Bomb = { file: () => Buffer | Promise<Buffer>; code: string }

/** Files that are made to hurt whoever reads them, and what is said of them. */
export const bombs: Record<string, Bomb> = {
  '10 GB of one letter in a gzip of many members': {
    file: () => members(packed(Buffer.alloc(100 * mb, 'a')), 100),
    code: 'FILE_EXPANSION_LIMIT_EXCEEDED',
  },
  '10 GB of one line, packed to a hundredth': {
    file: () => members(packed(dense(100 * mb)), 100),
    code: 'FILE_EXPANSION_LIMIT_EXCEEDED',
  },
  'a zip archive of 1 GB of one letter': {
    file: () => zip(Buffer.concat([Buffer.from(header + rows(1, 100)), Buffer.alloc(1_000 * mb, 'a')])),
    code: 'FILE_EXPANSION_LIMIT_EXCEEDED',
  },
  'a header of a million columns over many short rows': {
    file: () => packed(`${header.trimEnd()}${','.repeat(990_000)}\n${'a\n'.repeat(200_000)}`),
    code: 'FEED_HEADER_UNUSABLE',
  },
  'gzip in gzip in gzip': { file: () => packed(packed(packed(header + rows(1, 1_000)))), code: 'FEED_NOT_CSV' },
}

/** Files in which single rows are made to hurt: those are refused, and the rows around them are read. */
export const badRows: Record<string, Bomb> = {
  '500 MB in one line': {
    file: () => Buffer.concat([packed(header + rows(1, 100)), ...fiveHundred(), packed(`\n${rows(101, 100)}`)]),
    code: 'ROW_TOO_LARGE',
  },
  '1 GB in one quote': {
    file: () =>
      Buffer.concat([
        packed(`${header}${rows(1, 100)}i0,"never closed `),
        ...fiveHundred(),
        ...fiveHundred(),
        packed(`\n${rows(101, 100)}`),
      ]),
    code: 'ROW_TOO_LARGE',
  },
  '3 GB of one letter behind as much noise as its limit asks for': {
    file: () =>
      Buffer.concat([
        packed(`${header}${rows(1, 100)}${randomBytes(15 * mb).toString('base64')}`),
        ...times(30, packed(Buffer.alloc(100 * mb, 'a'))),
        packed(`\n${rows(101, 100)}`),
      ]),
    code: 'ROW_TOO_LARGE',
  },
  '500 MB in one line of a zip archive': {
    file: () =>
      zip(Buffer.concat([Buffer.from(header + rows(1, 100)), dense(500 * mb), Buffer.from(`\n${rows(101, 100)}`)])),
    code: 'ROW_TOO_LARGE',
  },
  '500 lines of 1.1 MB': {
    file: () => {
      const fifty = packed(`${dense(1_100_000).toString('latin1')}\n`.repeat(50))
      return Buffer.concat([packed(header + rows(1, 100)), ...times(10, fifty), packed(rows(101, 100))])
    },
    code: 'ROW_TOO_LARGE',
  },
  'a NUL': {
    file: () => Buffer.from(`${header}${rows(1, 100)}i0,a\0b,https://shop.example/x,1,USD,,B\n${rows(101, 100)}`),
    code: 'ROW_HAS_NUL',
  },
}

const fiveHundred = () => times(10, packed(dense(50 * mb)))

/** Files with letters that are none, which are read all the same. */
export const oddLetters: Record<string, { file: () => Buffer; products: number }> = {
  // A quote that never closes is a letter: the line has as many fields as it should.
  'an endless quote over many lines': {
    file: () => Buffer.from(`${header}${rows(1, 100)}${odd('"never closed')}${rows(101, 100)}`),
    products: 201,
  },
  'a lone CR in a field': {
    file: () => Buffer.from(`${header}${rows(1, 100)}${odd('a\rb')}${rows(101, 99)}`),
    products: 200,
  },
  'a file of lines that end with CR alone': {
    file: () => Buffer.from((header + rows(1, 200)).replaceAll('\n', '\r')),
    products: 200,
  },
  'a field of bytes that are no UTF-8': {
    file: () => {
      const [start, end] = [`${header}${rows(1, 100)}${odd('a')}`, rows(101, 99)]
      const [before, after] = start.split('i0,a')
      const noUtf8 = Buffer.of(0xff, 0xfe, 0xc3, 0x28, 0x80)
      return Buffer.concat([Buffer.from(`${before}i0,a`), noUtf8, Buffer.from(`${after}${end}`)])
    },
    products: 200,
  },
}

const odd = (title: string) => `i0,${title},https://shop.example/x,1.00,USD,InStock,B\n`

export const goodFile = (from: number): Buffer => packed(header + rows(from, 200))
/** As large as a usual file, so that a worker has grown to its usual size. */
export const usualFile = (): Buffer => packed(header + rows(1, 60_000))
