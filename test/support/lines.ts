import { Writable } from 'node:stream'

/** A stream that keeps what is written to it, for tests that read the log. */
export function collectLines(): { lines: string[]; stream: Writable } {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(...chunk.toString('utf8').split('\n').filter(Boolean))
      done()
    },
  })
  return { lines, stream }
}
