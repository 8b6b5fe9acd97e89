import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * A point on the way of a conversation with Postgres: the client has asked something, or the server has answered. `what` is
 * the statement, cut short, or what the message is.
 */
export type Step = { number: number; side: 'asked' | 'answered'; what: string }

/** Told of each step before it is passed on. HOLD: neither it nor anything behind it is. */
export type OnStep = (step: Step) => 'PASS' | 'HOLD'

type Hook = { onStep: OnStep | undefined }
type Talk = { isWatched: boolean; isHeld: boolean; steps: number; asked: string }

/**
 * Stands between a worker and Postgres, and tells of each step of the connection that a run writes on. What is done there, a
 * kill for one, is done at that very point, whatever the machine's pace.
 */
export async function startWire(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const hook: Hook = { onStep: undefined }
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const talk: Talk = { isWatched: false, isHeld: false, steps: 0, asked: '' }
    for (const [from, to, frames] of [
      [near, far, framesOf(talk, true)],
      [far, near, framesOf(talk, false)],
    ] as const) {
      open.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.on('data', (bytes: Buffer) => {
        if (!talk.isHeld) to.write(talk.isWatched || frames.isFirst() ? frames.pass(bytes, hook) : bytes)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    /** The way through here to a database of the same server. */
    through: (url: string) => {
      const way = new URL(url)
      way.hostname = '127.0.0.1'
      way.port = String((server.address() as AddressInfo).port)
      return way.href
    },
    watch: (onStep: OnStep | undefined) => void (hook.onStep = onStep),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

const names: Record<string, string> = { d: 'copy data', c: 'copy done', X: 'goodbye' }

/** The messages of one direction. The first of a client has no type, and says who it is. */
function framesOf(talk: Talk, isClient: boolean) {
  let rest = Buffer.alloc(0)
  let isBegun = !isClient
  const take = (frame: Buffer, hook: Hook): boolean => {
    if (isClient && !isBegun) {
      isBegun = true
      talk.isWatched = frame.includes('freshet:run:')
      return true
    }
    const type = String.fromCharCode(frame[0] ?? 0)
    if (isClient && type === 'P') talk.asked = statementOf(frame.subarray(frame.indexOf(0, 5) + 1)) // behind its name
    if (isClient && type === 'Q') talk.asked = statementOf(frame.subarray(5))
    const isStep = isClient ? 'QSdcX'.includes(type) : 'ZG'.includes(type)
    if (!isStep || !hook.onStep) return true
    const what = (isClient && names[type]) || talk.asked
    const step: Step = { number: ++talk.steps, side: isClient ? 'asked' : 'answered', what }
    talk.isHeld = hook.onStep(step) === 'HOLD'
    return !talk.isHeld
  }
  return {
    isFirst: () => !isBegun,
    /** What of these bytes may go on; a message that is not whole yet waits for its end. */
    pass(bytes: Buffer, hook: Hook): Buffer {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
      let at = 0
      for (;;) {
        const head = isBegun ? 1 : 0
        if (all.length - at < head + 4) break
        const end = at + head + all.readInt32BE(at + head)
        if (all.length < end) break
        if (!take(all.subarray(at, end), hook)) {
          rest = Buffer.alloc(0)
          return all.subarray(0, at)
        }
        at = end
        if (isClient && !talk.isWatched) at = all.length // nobody watches it: it goes on as it comes
      }
      rest = Buffer.from(all.subarray(at))
      return all.subarray(0, at)
    },
  }
}

const statementOf = (bytes: Buffer): string =>
  bytes.toString('latin1', 0, 200).split('\0')[0]!.replaceAll(/\s+/g, ' ').trim().slice(0, 60)
