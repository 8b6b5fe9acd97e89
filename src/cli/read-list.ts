import { constants, createReadStream, openSync, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Socket } from 'node:net'
import { addAbortSignal, type Readable } from 'node:stream'
import { CommandError } from './error.ts'

/** Far more than the rows that an import takes; whatever is longer is no list. */
export const maxListBytes = 64_000_000

const hints: Record<string, [reason: string, hint: string]> = {
  ENOENT: ['there is no such file', 'Check the path.'],
  EISDIR: ['it is a folder', 'Name a CSV file.'],
  EACCES: ['reading it is not allowed', 'Give yourself the right to read it.'],
  ERR_ENCODING_INVALID_ENCODED_DATA: ['it is not UTF-8', 'Save it as CSV in UTF-8.'],
  NO_FILE: ['it is neither a file nor a pipe', 'Name a CSV file, or pipe one in by the name /dev/stdin.'],
  TOO_LARGE: [`it has more than ${maxListBytes / 1_000_000} MB`, 'Split it.'],
}

/** The text of a file or a pipe, in UTF-8. `shown` is how the user named it. Ends at once when he wants to stop. */
export async function readList(path: string, shown: string, signal: AbortSignal): Promise<string> {
  try {
    const bytes = await readBytes(path, signal)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    signal.throwIfAborted()
    const { code = '', message } = error as NodeJS.ErrnoException
    const [reason, hint] = hints[code] ?? [message, 'Check the file.']
    throw new CommandError('FILE_UNREADABLE', `${shown} cannot be read: ${reason}.`, { hint, cause: error })
  }
}

async function readBytes(path: string, signal: AbortSignal): Promise<Buffer> {
  const found = await stat(path)
  refuseUnreadable(found)
  // Opened without waiting: a pipe that nobody writes to yet would hold up the process, its end too.
  const stream: Readable = found.isFIFO()
    ? new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
    : createReadStream(path)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxListBytes) throw failure('TOO_LARGE')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A device or a socket may have no end; of a file the size is known before anything is read. */
function refuseUnreadable(found: Stats): void {
  if (found.isDirectory()) throw failure('EISDIR')
  if (!found.isFile() && !found.isFIFO()) throw failure('NO_FILE')
  if (found.size > maxListBytes) throw failure('TOO_LARGE')
}

const failure = (code: string) => Object.assign(new Error(code), { code })
