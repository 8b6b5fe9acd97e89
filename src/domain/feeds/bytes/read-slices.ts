import type { FileHandle } from 'node:fs/promises'

/** Small enough that what one slice unpacks to, at most 1,032 times as much, stays bounded: 33 MB. */
const sliceBytes = 32_768

/** Which bytes of a file, all of them unless told. */
export type Part = { start?: number; length?: number; signal: AbortSignal; onRead?: (bytes: number) => void }

/** The bytes of a part of an open file, a slice at a time. The file stays open, and its own position untouched. */
export async function* readSlices(
  file: FileHandle,
  { start = 0, length = Infinity, signal, onRead }: Part,
): AsyncGenerator<Buffer> {
  let position = start
  const end = start + length
  while (position < end) {
    signal.throwIfAborted()
    const slice = Buffer.allocUnsafe(Math.min(sliceBytes, end - position))
    const { bytesRead } = await file.read(slice, 0, slice.length, position)
    if (bytesRead === 0) return
    position += bytesRead
    onRead?.(bytesRead)
    yield slice.subarray(0, bytesRead)
  }
}
