import type { FileHandle } from 'node:fs/promises'
import { fromFdPromise, type Entry, type ZipFile } from 'yauzl'
import { JobError, PermanentError } from '../../queue/job-error.ts'
import { shortText } from '../row/row-errors.ts'

/** Where the data of the only file of an archive lies, and what it must come to. */
export type ZipEntry = {
  name: string
  isCompressed: boolean
  start: number
  length: number
  unpackedLength: number
  crc32: number
}

/** The list of an archive may have millions, of which each is read; what goes with the one file are a few. */
const mostEntries = 1_000

const stored = 0
const deflated = 8

/** Finds the one file of a zip archive. Folders and what macOS adds do not count; two files are one too many. */
export async function findZipEntry(file: FileHandle): Promise<ZipEntry> {
  try {
    const zip = await fromFdPromise(file.fd, { lazyEntries: true, autoClose: false })
    const entry = await onlyEntry(zip)
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
    return {
      name: shortText(entry.fileName), // it may hold 65,535 bytes, NUL among them
      isCompressed: entry.compressionMethod === deflated,
      start: fileDataStart,
      length: entry.compressedSize,
      unpackedLength: entry.uncompressedSize,
      crc32: entry.crc32,
    }
  } catch (error) {
    throw error instanceof JobError ? error : toFault(error as Error)
  }
}

async function onlyEntry(zip: ZipFile): Promise<Entry> {
  let only: Entry | undefined
  let seen = 0
  for await (const entry of zip.eachEntry()) {
    if (++seen > mostEntries) throw refusal(`has more than ${mostEntries} entries; a feed is one file.`)
    if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue
    if (only) throw refusal(`holds several files ("${only.fileName}", "${entry.fileName}"); a feed is one file.`)
    only = entry
  }
  if (!only) throw refusal('holds no file.')
  if (only.isEncrypted()) throw refusal(`is encrypted ("${only.fileName}").`)
  const { compressionMethod: method } = only
  if (method !== stored && method !== deflated)
    throw refusal(`packs "${only.fileName}" by method ${method}; deflate (8) and stored (0) can be read.`)
  return only
}

const refusal = (what: string) => new PermanentError(`The zip archive ${what}`, { code: 'FILE_ARCHIVE_REFUSED' })

/** An archive has its list of files at its end, so one that was cut has none. */
function toFault(cause: Error): JobError {
  if (/end of central directory/i.test(cause.message))
    return new JobError('The zip archive ends before its list of files.', { code: 'FILE_TRUNCATED', cause })
  if (/multi-disk|encrypt/i.test(cause.message)) return refusal(`cannot be read: ${cause.message}.`)
  return new JobError(`The zip archive is damaged: ${cause.message}.`, { code: 'FILE_CORRUPT', cause })
}
