import type { FileHandle } from 'node:fs/promises'
import { createGunzip, createInflateRaw, crc32 } from 'node:zlib'
import { JobError } from '../../queue/job-error.ts'
import { decodeText, type FoundEncoding } from './decode-text.ts'
import type { Engine } from './drive-zlib.ts'
import { readSlices, type Part } from './read-slices.ts'
import { unpack, type ExpansionLimits, type Seen } from './unpack.ts'
import { findZipEntry, type ZipEntry } from './zip-entry.ts'

/** What a feed file may unpack to unless its feed says otherwise. */
export const usualExpansionLimits: ExpansionLimits = { ratio: 200, bytes: 5 * 1024 ** 3 }

export type FeedFile = {
  compression: 'NONE' | 'GZIP' | 'ZIP'
  /** The name of the file inside the archive. */
  entry?: string
  /** Grows while `text` is read; bytes of the text's own file are `bytesOut`. */
  seen: Seen
  /** Settled by the first piece of text; `invalid` grows. */
  found: FoundEncoding
  /** To be read once. It throws where the file is damaged, after all that came before. */
  text: AsyncIterable<string>
}

type Options = { limits?: ExpansionLimits; signal: AbortSignal }

/**
 * zlib's own 16 KB make four times as many steps of the same work. A larger piece becomes a text that V8 puts beside its young
 * heap, where it outlives its use: files of much text and few rows then take 100 MB more.
 */
const pieces = { chunkSize: 64 * 1024 }

/**
 * Makes text of a downloaded feed file, whatever its name: plain, gzip, or zip with one file in it. Memory stays flat. The file
 * is the caller's to close.
 */
export async function openFeedFile(
  file: FileHandle,
  { limits = usualExpansionLimits, signal }: Options,
): Promise<FeedFile> {
  const seen: Seen = { bytesIn: 0, bytesOut: 0 }
  const found: FoundEncoding = { encoding: 'UTF-8', invalid: undefined }
  const onRead = (bytes: number) => void (seen.bytesIn += bytes)
  const compression = await compressionOf(file)
  const part = { signal, onRead }
  if (compression === 'ZIP') {
    const entry = await findZipEntry(file)
    const { start, length } = entry
    const bytes = entry.isCompressed
      ? unpacked(file, { start, length, ...part }, () => createInflateRaw(pieces), limits, seen)
      : counted(readSlices(file, { start, length, ...part }), seen)
    return { compression, entry: entry.name, seen, found, text: decodeText(checked(bytes, entry), found) }
  }
  const bytes =
    compression === 'GZIP'
      ? unpacked(file, part, () => createGunzip(pieces), limits, seen)
      : counted(readSlices(file, part), seen)
  return { compression, seen, found, text: decodeText(bytes, found) }
}

function unpacked(file: FileHandle, part: Part, engine: () => Engine, limits: ExpansionLimits, seen: Seen) {
  let times = 0 // what is read once more is not counted twice
  const slices = () => readSlices(file, times++ === 0 ? part : { ...part, onRead: () => {} })
  return unpack({ slices, engine, limits, seen })
}

/** By the first bytes: names lie, and a server may pack or unpack on the way. */
async function compressionOf(file: FileHandle): Promise<FeedFile['compression']> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  const start = buffer.toString('latin1', 0, bytesRead)
  if (start.startsWith('\u001F\u008B')) return 'GZIP'
  // The second is the end of an archive without any file.
  return start === 'PK\u0003\u0004' || start === 'PK\u0005\u0006' ? 'ZIP' : 'NONE'
}

async function* counted(slices: AsyncIterable<Buffer>, seen: Seen): AsyncGenerator<Buffer> {
  for await (const slice of slices) {
    seen.bytesOut += slice.length
    yield slice
  }
}

/** gzip checks itself; of a zip archive the checksum lies in its list. */
async function* checked(bytes: AsyncIterable<Buffer>, entry: ZipEntry): AsyncGenerator<Buffer> {
  let sum = 0
  let length = 0
  for await (const piece of bytes) {
    sum = crc32(piece, sum)
    length += piece.length
    yield piece
  }
  if (length === entry.unpackedLength && sum === entry.crc32) return
  const what = length === entry.unpackedLength ? 'checksum' : 'length'
  throw new JobError(`The zip archive is damaged: the ${what} of "${entry.name}" is wrong.`, { code: 'FILE_CORRUPT' })
}
