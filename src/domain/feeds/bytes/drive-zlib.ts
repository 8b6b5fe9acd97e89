import type { Gunzip, InflateRaw } from 'node:zlib'
import { JobError } from '../../queue/job-error.ts'

export type Engine = Gunzip | InflateRaw

/** Feeds a zlib stream one slice at a time; what comes out is kept until it is taken, also when the stream then fails. */
export function driveZlib(engine: Engine) {
  let pieces: Buffer[] = []
  let given = 0
  let isOver = false
  let settle: (fault?: JobError) => void = () => {}
  const drain = () => {
    for (let piece = engine.read() as Buffer | null; piece !== null; piece = engine.read() as Buffer | null)
      pieces.push(piece)
  }
  const settled = (fault?: JobError) => {
    drain()
    settle(fault)
  }
  const step = (start: (done: () => void) => void) =>
    new Promise<JobError | undefined>((resolve) => {
      settle = resolve
      start(() => settled())
    })
  engine.on('readable', drain)
  engine.on('end', () => {
    isOver = true
    settled()
  })
  engine.on('error', (error: NodeJS.ErrnoException) => settled(toFault(error)))
  return {
    /** Unpacks a slice; the answer is what is wrong with it. */
    write(slice: Buffer) {
      given += slice.length
      return step((done) => engine.write(slice, () => done()))
    },
    end: () => (isOver ? Promise.resolve(undefined) : step(() => engine.end())),
    /** How many of the bytes given lie behind the end of the data; unknown before that end. */
    left: () => (isOver ? given - engine.bytesWritten : undefined),
    take() {
      const taken = pieces
      pieces = []
      return taken
    },
  }
}

/** zlib says Z_BUF_ERROR where the data stops too early, and Z_DATA_ERROR where it is wrong. */
function toFault(cause: NodeJS.ErrnoException): JobError {
  return cause.code === 'Z_BUF_ERROR'
    ? new JobError('The compressed file ends before its data does.', { code: 'FILE_TRUNCATED', cause })
    : damaged(cause.message, cause)
}

export const damaged = (how: string, cause?: unknown): JobError =>
  new JobError(`The compressed file is damaged: ${how}.`, { code: 'FILE_CORRUPT', cause })
