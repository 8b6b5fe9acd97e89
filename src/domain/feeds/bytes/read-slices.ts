import type { FileHandle } from 'node:fs/promises'

const sliceBytes = 32_768

/** Which bytes of a file, all of them unless told. */
export type Part = { start?: number; length?: number; signal: AbortSignal; onRead?: (bytes: number) => void }

/**
 * The bytes of a part of an open file, a slice at a time, each to be used before the next is asked for: all have the same memory.
 * The file stays open, and its own position untouched.
 */
export async function* readSlices(
  file: FileHandle,
  { start = 0, length = Infinity, signal, onRead }: Part,
): AsyncGenerator<Buffer> {
  let position = start
  const end = start + length
  const slice = Buffer.allocUnsafeSlow(sliceBytes)
  while (position < end) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(slice, 0, Math.min(sliceBytes, end - position), position)
    if (bytesRead === 0) return
    position += bytesRead
    onRead?.(bytesRead)
    yield slice.subarray(0, bytesRead)
  }
}
