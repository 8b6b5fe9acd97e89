import { PermanentError } from '../../queue/job-error.ts'
import { damaged, driveZlib, type Engine, type Step } from './drive-zlib.ts'

/** How far a file may expand: to so many times its size, and to so many bytes. */
export type ExpansionLimits = { ratio: number; bytes: number }

/** What went through so far: bytes of the file, and bytes of what is in it. They grow while the text is read. */
export type Seen = { bytesIn: number; bytesOut: number }

/** Packed data: `slices` reads it from its start, each time anew, `engine` makes what unpacks it. */
type Packed = { slices: () => AsyncIterable<Buffer>; engine: () => Engine; limits: ExpansionLimits; seen: Seen }

/** Whatever unpacks to less is no bomb: a small file of one repeated line has any ratio. */
const ratioIsJudgedFrom = 16 * 1024 * 1024

/**
 * Unpacks a file, and hands out all that was good before a fault. A pipe would lose it: a stream that fails throws away what
 * nobody had taken yet.
 */
export async function* unpack({ slices, engine: createEngine, limits, seen }: Packed): AsyncGenerator<Buffer> {
  const engine = createEngine()
  const drive = driveZlib(engine)
  let whole = 0
  try {
    for await (const slice of slices()) {
      const left = drive.left()
      if (left !== undefined) refuseUnlessPadding(slice)
      else {
        const fault = yield* admitted(drive.write(slice), limits, seen)
        if (fault) {
          yield* admitted(lostPieces(slices(), createEngine(), whole, seen.bytesOut), limits, seen)
          throw fault
        }
        refuseUnlessPadding(slice.subarray(slice.length - (drive.left() ?? 0)))
      }
      whole++
    }
    const fault = yield* admitted(drive.end(), limits, seen)
    if (fault) throw fault
  } finally {
    engine.destroy()
  }
}

/** The pieces that may be handed out; it throws where the limits are passed. */
async function* admitted(pieces: Step, limits: ExpansionLimits, seen: Seen): Step {
  for (;;) {
    const next = await pieces.next()
    if (next.done) return next.value
    seen.bytesOut += next.value.length
    refuseBomb(limits, seen)
    yield next.value
  }
}

/**
 * zlib keeps what it unpacked in the step that failed, often the whole of a small file with a wrong checksum. It is had by going
 * through the file once more, and through the faulty slice byte by byte.
 */
async function* lostPieces(slices: AsyncIterable<Buffer>, engine: Engine, whole: number, had: number): Step {
  const drive = driveZlib(engine)
  let skip = had
  async function* beyond(pieces: Step): Step {
    for (;;) {
      const next = await pieces.next()
      if (next.done) return next.value
      if (next.value.length > skip) yield next.value.subarray(skip)
      skip = Math.max(0, skip - next.value.length)
    }
  }
  try {
    let index = 0
    for await (const slice of slices) {
      if (index++ < whole) yield* beyond(drive.write(slice))
      else {
        for (let at = 0; at < slice.length; at++) {
          const fault = yield* beyond(drive.write(slice.subarray(at, at + 1)))
          if (fault) return fault
        }
        return undefined
      }
    }
    return undefined
  } finally {
    engine.destroy()
  }
}

/** A file may be filled up with zeros. Anything else is data that zlib would leave out without a word. */
function refuseUnlessPadding(rest: Buffer): void {
  if (rest.some((byte) => byte !== 0)) throw damaged('something else follows the end of its data')
}

function refuseBomb({ ratio, bytes }: ExpansionLimits, { bytesIn, bytesOut }: Seen): void {
  const refuse = (message: string) => {
    throw new PermanentError(message, { code: 'FILE_EXPANSION_LIMIT_EXCEEDED' })
  }
  if (bytesOut > bytes) refuse(`The file unpacks to more than the ${bytes} bytes that are allowed.`)
  if (bytesOut > ratioIsJudgedFrom && bytesOut > ratio * bytesIn)
    refuse(`The file unpacks to more than ${ratio} times its size: ${bytesOut} bytes from ${bytesIn}.`)
}
