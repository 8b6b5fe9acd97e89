import type { SFTPWrapper } from 'ssh2'

/** What every server answers in one piece (draft-ietf-secsh-filexfer-02 asks for 32,768). */
const largestPiece = 32 * 1024
/** A request waits a round trip for its answer: with one at a time a distant server would send a few hundred KB a second. */
const mostAtOnce = 32

/**
 * The bytes of a file from `start` to where the server says that it ends, in order. Requests under way double with every answer,
 * so that a small file is not asked for far beyond its end.
 */
export async function* readFile(sftp: SFTPWrapper, path: string, start: number): AsyncGenerator<Buffer> {
  const handle = await open(sftp, path)
  const waiting: Promise<Buffer>[] = []
  let size = largestPiece
  let atOnce = 1
  let asked = start
  let given = start
  for (;;) {
    for (; waiting.length < atOnce; asked += size) waiting.push(read(sftp, handle, asked, size))
    const piece = await waiting.shift()!
    if (piece.length > 0) yield piece
    given += piece.length
    atOnce = Math.min(atOnce * 2, mostAtOnce)
    if (piece.length === size) continue
    // The end, or a server that gives less than it is asked for: then what was asked for behind it lies in the wrong place.
    await Promise.allSettled(waiting.splice(0))
    if (piece.length === 0) break
    size = piece.length
    atOnce = 1
    asked = given
  }
  await new Promise<void>((resolve) => sftp.close(handle, () => resolve()))
}

const open = (sftp: SFTPWrapper, path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => sftp.open(path, 'r', (error, handle) => (error ? reject(error) : resolve(handle))))

/** Up to `size` bytes; none at the end of the file. A failure is heard in its turn, if that comes. */
function read(sftp: SFTPWrapper, handle: Buffer, position: number, size: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  promise.catch(() => {})
  sftp.read(handle, Buffer.allocUnsafe(size), 0, size, position, (error, _count, bytes) =>
    error ? reject(error) : resolve(bytes),
  )
  return promise
}
