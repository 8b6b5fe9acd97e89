import { isUtf8 } from 'node:buffer'
import { mendUtf8 } from './mend-utf8.ts'

/** In what the file is written. `invalid` counts the bytes that were no UTF-8, and where the first of them stood. */
export type FoundEncoding = {
  encoding: 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'
  invalid: { bytes: number; firstOffset: number } | undefined
}

/**
 * Text of bytes: what a byte order mark says, else UTF-8. A byte that is no UTF-8 is read as Windows-1252, that byte alone: a
 * file in Windows-1252 comes out right, and so does all the rest of a UTF-8 file in which one field was cut in the middle of
 * a letter. Where the chunks end makes no difference. What was found stands in `found`, which grows.
 */
export async function* decodeText(bytes: AsyncIterable<Buffer>, found: FoundEncoding): AsyncGenerator<string> {
  const chunks = withWholeStart(bytes)
  const first = await chunks.next()
  if (first.done) return
  const mark = byteOrderMark(first.value)
  found.encoding = mark.encoding
  const body = joined(first.value.subarray(mark.length), chunks)
  yield* mark.encoding === 'UTF-8' ? decodeUtf8(body, mark.length, found) : decodeUtf16(body, mark.encoding)
}

/** The first chunk has at least three bytes, if there are as many, so that a mark is seen whole. */
async function* withWholeStart(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (!start) yield chunk
    else {
      start = Buffer.concat([start, chunk])
      if (start.length < 3) continue
      yield start
      start = undefined
    }
  }
  if (start?.length) yield start
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

function byteOrderMark(start: Buffer): { encoding: FoundEncoding['encoding']; length: number } {
  const [a, b, c] = start
  if (a === 0xff && b === 0xfe) return { encoding: 'UTF-16LE', length: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: 'UTF-16BE', length: 2 }
  return { encoding: 'UTF-8', length: a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0 }
}

async function* decodeUtf16(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  const end = decoder.decode()
  if (end) yield end
}

async function* decodeUtf8(bytes: AsyncIterable<Buffer>, start: number, found: FoundEncoding): AsyncGenerator<string> {
  let offset = start
  const decode = (whole: Buffer) => {
    const text = isUtf8(whole) ? whole.toString() : mended(whole, offset, found)
    offset += whole.length
    return text
  }
  let rest = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const cut = all.length - lengthOfCutLetter(all)
    rest = Buffer.from(all.subarray(cut))
    if (cut > 0) yield decode(all.subarray(0, cut))
  }
  if (rest.length > 0) yield decode(rest)
}

function mended(bytes: Buffer, offset: number, found: FoundEncoding): string {
  const { text, invalid, first } = mendUtf8(bytes)
  found.invalid ??= { bytes: 0, firstOffset: offset + first }
  found.invalid.bytes += invalid
  return text
}

/** How many bytes at the end may be the start of a letter that goes on in the next chunk. */
function lengthOfCutLetter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** The one warning that a run gets where its file is not what it seems to be; nothing where it is. */
export function encodingWarning({ invalid }: FoundEncoding): { code: 'FILE_NOT_UTF8'; message: string } | undefined {
  if (!invalid) return undefined
  const many = invalid.bytes === 1 ? 'One byte is' : `${invalid.bytes} bytes are`
  const where = `${invalid.bytes === 1 ? 'at byte' : 'the first at byte'} ${invalid.firstOffset}`
  return { code: 'FILE_NOT_UTF8', message: `${many} not valid UTF-8 and read as Windows-1252, ${where} of the text.` }
}
