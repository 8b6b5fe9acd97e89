import type { Gunzip, InflateRaw } from 'node:zlib'
import { JobError } from '../../queue/job-error.ts'

export type Engine = Gunzip | InflateRaw

/** What comes of a step, piece by piece, each to be used before the next is asked for; and at its end what is wrong with the data. */
export type Step = AsyncGenerator<Buffer, JobError | undefined>

/**
 * Feeds a zlib stream one slice at a time. It unpacks no further than a piece beyond what was asked for: a slice may hold a
 * thousand times as much as its size.
 */
export function driveZlib(engine: Engine) {
  let given = 0
  let isOver = false
  let fault: JobError | undefined
  let wake = () => {}
  engine.on('readable', () => wake())
  engine.on('end', () => {
    isOver = true
    wake()
  })
  engine.on('error', (error: NodeJS.ErrnoException) => {
    fault = toFault(error)
    wake()
  })

  async function* step(start: (done: () => void) => void): Step {
    let isDone = false
    let woken = new Promise<void>((resolve) => (wake = resolve))
    start(() => {
      isDone = true
      wake()
    })
    for (;;) {
      const piece = engine.read() as Buffer<ArrayBuffer> | null
      if (piece) {
        yield piece
        letGo(piece)
      } else if (isDone || isOver || fault) return fault
      else {
        await woken
        woken = new Promise((resolve) => (wake = resolve))
      }
    }
  }

  return {
    /** Unpacks a slice. */
    write(slice: Buffer): Step {
      given += slice.length
      return step((done) => engine.write(slice, () => done()))
    },
    end: (): Step => step((done) => (isOver ? done() : engine.end())),
    /** How many of the bytes given lie behind the end of the data; unknown before that end. */
    left: () => (isOver || engine.bytesWritten < given ? given - engine.bytesWritten : undefined),
  }
}

/**
 * Gives the memory of used pieces back at once: the collector lets some 64 MB of such memory pile up before it looks. zlib fills a
 * buffer to its end, maybe in several pieces, before it takes another.
 */
function letGo({ buffer, byteOffset, length }: Buffer<ArrayBuffer>): void {
  if (byteOffset + length === buffer.byteLength) buffer.transfer(0)
}

/** zlib says Z_BUF_ERROR where the data stops too early, and Z_DATA_ERROR where it is wrong. */
function toFault(cause: NodeJS.ErrnoException): JobError {
  return cause.code === 'Z_BUF_ERROR'
    ? new JobError('The compressed file ends before its data does.', { code: 'FILE_TRUNCATED', cause })
    : damaged(cause.message, cause)
}

export const damaged = (how: string, cause?: unknown): JobError =>
  new JobError(`The compressed file is damaged: ${how}.`, { code: 'FILE_CORRUPT', cause })
