import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodingWarning, type FoundEncoding } from '../../../../src/domain/feeds/bytes/decode-text.ts'
import { readFeed } from '../feed-file.ts'

async function* inPieces(bytes: Uint8Array, lengths: number[]): AsyncGenerator<Buffer> {
  let at = 0
  for (const length of lengths) {
    yield Buffer.from(bytes.subarray(at, at + length))
    at += length
  }
  yield Buffer.from(bytes.subarray(at))
}

async function decode(bytes: Uint8Array, lengths: number[] = []) {
  const found: FoundEncoding = { encoding: 'UTF-8', invalid: undefined }
  let text = ''
  for await (const piece of decodeText(inPieces(bytes, lengths), found)) text += piece
  return { text, found }
}

const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()

test.each([
  ['UTF-8', Buffer.from('Grüße 😀'), 'UTF-8'],
  ['UTF-8 with a mark', Buffer.from('\uFEFFGrüße 😀'), 'UTF-8'],
  ['UTF-16LE by its mark', Buffer.from('\uFEFFGrüße 😀', 'utf16le'), 'UTF-16LE'],
  ['UTF-16BE by its mark', bigEndian('\uFEFFGrüße 😀'), 'UTF-16BE'],
])('issue 5 §1: %s is read, and the mark is no part of it', async (_, bytes, encoding) => {
  const { file, text } = await readFeed(bytes)
  expect(text).toBe('Grüße 😀')
  expect(file?.found).toEqual({ encoding, invalid: undefined })
  expect(file && encodingWarning(file.found)).toBeUndefined()
})

test('issue 5 §1: a file in Windows-1252 comes out right, with one warning that says where it began', async () => {
  const bytes = Buffer.concat([
    Buffer.from('title\nGr'),
    Buffer.of(0xfc, 0xdf),
    Buffer.from('e '),
    Buffer.of(0x80, 0x96),
  ])
  const { file, text } = await readFeed(bytes)
  expect(text).toBe('title\nGrüße €–')
  expect(file && encodingWarning(file.found)).toEqual({
    code: 'FILE_NOT_UTF8',
    message: '4 bytes are not valid UTF-8 and read as Windows-1252, the first at byte 8 of the text.',
  })
})

test('issue 5 §1: one letter cut in two changes nothing about the UTF-8 around it', async () => {
  const bytes = Buffer.concat([Buffer.from('\uFEFFGrüße '), Buffer.of(0xc3), Buffer.from('\nGrüße 😀')])
  const { text, found } = await decode(bytes)
  expect(text).toBe('Grüße Ã\nGrüße 😀')
  expect(found.invalid).toEqual({ bytes: 1, firstOffset: 11 })
  expect(encodingWarning(found)?.message).toBe(
    'One byte is not valid UTF-8 and read as Windows-1252, at byte 11 of the text.',
  )
})

test.each([
  ['an overlong slash', [0xc0, 0xaf], 'À¯'],
  ['a surrogate', [0xed, 0xa0, 0x80], 'í\u00A0€'],
  ['what lies behind Unicode', [0xf4, 0x90, 0x80, 0x80], 'ô\u0090€€'],
  ['a letter cut at the end', [0x61, 0xf0, 0x9f, 0x98], 'að\u0178˜'],
])('%s is no UTF-8', async (_, bytes, text) => {
  expect((await decode(Buffer.from(bytes))).text).toBe(text)
})

const anyText = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replace(/^\uFEFF+/, ''))
const lengths = fc.array(fc.nat({ max: 7 }), { maxLength: 40 })

test('any text in any encoding comes back, wherever its chunks end', async () => {
  const written = fc.oneof(
    anyText.map((text) => [text, Buffer.from(text)] as const),
    anyText.map((text) => [text, Buffer.from(`\uFEFF${text}`, 'utf16le')] as const),
    anyText.map((text) => [text, bigEndian(`\uFEFF${text}`)] as const),
  )
  await fc.assert(
    fc.asyncProperty(written, lengths, async ([text, bytes], lengths) => {
      const read = await decode(bytes, lengths)
      expect(read.text).toBe(text)
      expect(read.found.invalid).toBeUndefined()
    }),
  )
})

test('any bytes give the same text and warning, wherever their chunks end', async () => {
  const bytes = fc.array(fc.constantFrom(0x0a, 0x41, 0x80, 0x9f, 0xa4, 0xc3, 0xe2, 0xed, 0xf0, 0xf4, 0xff), {
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(bytes, lengths, async (bytes, lengths) => {
      expect(await decode(Buffer.from(bytes), lengths)).toEqual(await decode(Buffer.from(bytes)))
    }),
  )
})
