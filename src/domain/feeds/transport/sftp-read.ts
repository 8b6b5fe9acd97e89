import type { SFTPWrapper } from 'ssh2'

/** What every server answers in one piece (draft-ietf-secsh-filexfer-02 asks for 32,768). */
const pieceBytes = 32 * 1024
/** A request waits a round trip for its answer: with one at a time a distant server would send a few hundred KB a second. */
const piecesAtOnce = 32

/** The bytes of a file from `start` to where the server says that it ends, in order, with many requests under way. */
export async function* readFile(sftp: SFTPWrapper, path: string, start: number): AsyncGenerator<Buffer> {
  const handle = await open(sftp, path)
  const waiting: Promise<Buffer>[] = []
  let next = start
  let given = start
  for (;;) {
    while (waiting.length < piecesAtOnce) {
      const piece = read(sftp, handle, next)
      piece.catch(() => {}) // heard in its turn, if that comes
      waiting.push(piece)
      next += pieceBytes
    }
    const piece = await waiting.shift()!
    if (piece.length > 0) yield piece
    given += piece.length
    if (piece.length === pieceBytes) continue
    // A short answer is the end or a server that gives less than asked: what was asked for behind it lies in the wrong place.
    await Promise.allSettled(waiting.splice(0))
    if (piece.length === 0) break
    next = given
  }
  await new Promise<void>((resolve) => sftp.close(handle, () => resolve()))
}

const open = (sftp: SFTPWrapper, path: string): Promise<Buffer> =>
  new Promise((resolve, reject) => sftp.open(path, 'r', (error, handle) => (error ? reject(error) : resolve(handle))))

/** Up to a piece; nothing at the end of the file. */
const read = (sftp: SFTPWrapper, handle: Buffer, position: number): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    sftp.read(handle, Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position, (error, _count, bytes) =>
      error ? reject(error) : resolve(bytes),
    ),
  )
