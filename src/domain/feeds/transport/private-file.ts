import { createHash, randomBytes } from 'node:crypto'
import { open, rm, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../../make-folder.ts'
import { fileNameOf } from './sweep-files.ts'

/** A file that only this process can read and that nobody can find, hashed as it is written. */
export type PrivateFile = AsyncDisposable & {
  readonly handle: FileHandle
  /** How many bytes it holds. */
  readonly bytes: number
  write(bytes: Uint8Array): Promise<void>
  /** Empties it, hash included. */
  restart(): Promise<void>
  /** SHA-256 of what it holds. */
  sha256(): Buffer
}

/**
 * Makes such a file in `dir`. It loses its name as soon as it is open, so that it is gone however this process ends; where
 * the system does not allow that (Windows), it goes when it is disposed of, or is swept.
 */
export async function openPrivateFile(dir: string): Promise<PrivateFile> {
  await makeFolder(dir, 0o700)
  const path = join(dir, await fileNameOf(process.pid, randomBytes(8).toString('hex')))
  const handle = await open(path, 'wx+', 0o600)
  const isNamed = await unlink(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT', // somebody was faster
  )
  let hash = createHash('sha256')
  let bytes = 0
  return {
    handle,
    get bytes() {
      return bytes
    },
    async write(chunk) {
      for (let at = 0; at < chunk.length;) {
        // With a position: what reads the handle later begins at its first byte.
        const { bytesWritten } = await handle.write(chunk, at, chunk.length - at, bytes + at)
        at += bytesWritten
      }
      hash.update(chunk)
      bytes += chunk.length
    },
    async restart() {
      await handle.truncate(0)
      hash = createHash('sha256')
      bytes = 0
    },
    sha256: () => hash.copy().digest(),
    async [Symbol.asyncDispose]() {
      await handle.close()
      if (isNamed) await rm(path, { force: true })
    },
  }
}
