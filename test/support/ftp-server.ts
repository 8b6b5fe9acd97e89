import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSecureContext, TLSSocket, type SecureContext } from 'node:tls'
import type { FeedConnection } from '../../src/domain/feeds/transport/connection.ts'

export const ftpUser = { username: 'freshet', password: 'canary-ftp-pässword' }

/** What goes wrong, set and unset between two downloads. */
export type FtpFaults = {
  /** Answers a command so, instead of what it would; nothing: it does not answer. */
  replies?: Record<string, string | undefined>
  /** What greets; nothing: silence. */
  greeting?: string
  /** Ends the data after so many bytes of the file, and says this of it; without words the line breaks. So many times. */
  cutAfter?: { bytes: number; say?: string; times: number }
  /** Sends nothing any more from there on. */
  stallAfter?: number
  /** Sends so many bytes each so many ms. */
  trickle?: { bytes: number; everyMs: number }
  /** Done once, when so many bytes are sent. */
  whenAt?: { bytes: number; act: () => void }
  reportSize?: number
}

type Tls = { cert: string; key: string }
type Options = { tls?: Tls; implicit?: boolean }

/** An FTP server on loopback with one user and one file (RFC 959, 2228, 2428, 3659), which goes wrong as `faults` says. */
export async function startFtpServer({ tls, implicit = false }: Options = {}) {
  const faults: FtpFaults = {}
  const path = '/feeds/catalog.csv'
  const file = { bytes: Buffer.alloc(0), mtime: new Date('2026-01-02T03:04:05Z') }
  const commands: string[] = []
  const resumed: boolean[] = []
  const names: unknown[] = []
  const open = new Set<{ destroy: () => unknown }>()
  const listeners = new Set<ReturnType<typeof createServer>>()
  const context = tls && createSecureContext({ ...tls, sessionIdContext: 'freshet' })
  const state = { faults, file, path, commands, resumed, names, context, keep, listen }

  function keep<S extends Socket>(socket: S): S {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    return socket
  }
  async function listen(onConnection: (socket: Socket) => void) {
    const server = createServer((socket) => onConnection(keep(socket)))
    listeners.add(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return {
      port: (server.address() as AddressInfo).port,
      close: () => void (server.close(), listeners.delete(server)),
    }
  }
  const control = await listen((socket) => talk(implicit ? keep(secured(socket, context!)) : socket, state, implicit))
  const { username, password } = ftpUser
  const connection: FeedConnection = {
    transport: tls ? 'FTPS' : 'FTP',
    tlsMode: implicit ? 'IMPLICIT' : 'EXPLICIT',
    host: '127.0.0.1',
    port: control.port,
    path,
    username,
    secret: { password },
    hostKeys: [],
  }
  return {
    connection,
    faults,
    /** All that was asked, passwords included. */
    commands,
    /** Of each data connection over TLS: whether it goes on with the session of the control connection. */
    resumed,
    /** Of each login over TLS: the name that a certificate was asked for; false: none. */
    names,
    open,
    serve: (bytes: Buffer, mtime = new Date('2026-01-02T03:04:05Z')) => void Object.assign(file, { bytes, mtime }),
    mend() {
      for (const name of Object.keys(faults)) delete faults[name as keyof FtpFaults]
      commands.length = 0
      resumed.length = 0
      names.length = 0
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      for (const server of listeners) server.close()
    },
  }
}

type State = {
  faults: FtpFaults
  file: { bytes: Buffer; mtime: Date }
  path: string
  commands: string[]
  resumed: boolean[]
  names: unknown[]
  context: SecureContext | undefined
  keep: <S extends Socket>(socket: S) => S
  listen: (onConnection: (socket: Socket) => void) => Promise<{ port: number; close: () => void }>
}

const secured = (socket: Socket, secureContext: SecureContext) =>
  new TLSSocket(socket, { isServer: true, secureContext })

/** One control connection. */
function talk(first: Socket, state: State, isSecure: boolean) {
  const { faults, file, path, commands } = state
  let socket = first
  let user = ''
  let isIn = false
  let restart = 0
  let data: Promise<Socket> | undefined
  const say = (text: string) => void socket.write(`${text}\r\n`)

  const passive = async (reply: (port: number) => string) => {
    const { promise, resolve } = Promise.withResolvers<Socket>()
    data = promise
    const listener = await state.listen((raw) => {
      listener.close()
      if (!isSecure) return resolve(raw)
      const secure = state.keep(secured(raw, state.context!))
      secure.on('secure', () => {
        state.resumed.push(secure.isSessionReused())
        resolve(secure)
      })
    })
    return reply(listener.port)
  }
  const answers: Record<string, (rest: string) => string | undefined | Promise<string | undefined>> = {
    USER: (name) => ((user = name), '331 Password, please'),
    PASS: (word) => {
      if (socket instanceof TLSSocket) state.names.push(Reflect.get(socket, 'servername'))
      isIn = user === ftpUser.username && word === ftpUser.password
      return isIn ? '230 Welcome' : '530 Login incorrect.'
    },
    FEAT: () => '211-Features:\r\n SIZE\r\n MDTM\r\n REST STREAM\r\n UTF8\r\n211 End',
    OPTS: () => '200 OK',
    TYPE: () => '200 OK',
    STRU: () => '200 OK',
    PBSZ: () => '200 OK',
    PROT: () => '200 OK',
    QUIT: () => (socket.end('221 Bye\r\n'), undefined),
    AUTH: () => {
      if (!state.context) return '500 Unknown command.'
      say('234 Go on')
      socket.removeAllListeners('data')
      socket = state.keep(secured(socket, state.context))
      isSecure = true
      hear()
      return undefined
    },
    SIZE: (name) => (name === path ? `213 ${faults.reportSize ?? file.bytes.length}` : '550 Could not get file size.'),
    MDTM: (name) =>
      name === path ? `213 ${file.mtime.toISOString().replace(/[-:T]/g, '').slice(0, 14)}` : '550 No such file.',
    REST: (from) => ((restart = Number(from)), '350 Restarting'),
    EPSV: () => passive((port) => `229 Entering Extended Passive Mode (|||${port}|)`),
    PASV: () => passive((port) => `227 Entering Passive Mode (127,0,0,1,${port >> 8},${port & 255})`),
    RETR: async (name) => {
      if (name !== path) return '550 No such file.'
      say('150 Here it comes')
      const from = restart
      restart = 0
      return await send(await data!, from, socket, state)
    },
  }
  const free = ['USER', 'PASS', 'AUTH', 'FEAT', 'OPTS', 'QUIT', 'PBSZ', 'PROT']
  const heard = async (line: string) => {
    commands.push(line)
    const [, verb = '', rest = ''] = /^(\w+) ?(.*)$/.exec(line) ?? []
    const other = faults.replies
    if (other && verb in other) return other[verb]
    if (!isIn && !free.includes(verb)) return '530 Please login.'
    return answers[verb] ? await answers[verb](rest) : '502 Not known.'
  }
  function hear() {
    let begun = ''
    socket.on('data', (bytes: Buffer) => {
      const lines = (begun + bytes.toString('utf8')).split('\r\n')
      begun = lines.pop() ?? ''
      for (const line of lines) void heard(line).then((reply) => reply !== undefined && socket.writable && say(reply))
    })
  }
  hear()
  if (!('greeting' in faults)) say('220 A server of the tests')
  else if (faults.greeting !== undefined) say(faults.greeting)
}

/** The file over the data connection; what is said of it afterwards. */
async function send(data: Socket, from: number, control: Socket, { faults, file }: State): Promise<string | undefined> {
  const { cutAfter, stallAfter, trickle } = faults
  const end = cutAfter && cutAfter.times > 0 ? cutAfter.bytes : (stallAfter ?? file.bytes.length)
  const size = trickle?.bytes ?? 64 * 1024
  for (let at = from; at < end && !data.destroyed; at += size) {
    if (faults.whenAt && at >= faults.whenAt.bytes) {
      const { act } = faults.whenAt
      delete faults.whenAt
      act()
    }
    const piece = file.bytes.subarray(at, Math.min(at + size, end))
    await new Promise((resolve) => data.write(piece, resolve))
    if (trickle) await new Promise((resolve) => setTimeout(resolve, trickle.everyMs))
  }
  if (stallAfter !== undefined) return undefined
  if (cutAfter && cutAfter.times > 0) {
    cutAfter.times--
    data.end()
    if (cutAfter.say !== undefined) return cutAfter.say
    control.destroy()
    return undefined
  }
  data.end()
  return '226 Transfer complete.'
}
