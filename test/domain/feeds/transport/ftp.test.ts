import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../../../support/certificate.ts'
import { ftpUser, startFtpServer, type FtpFaults } from '../../../support/ftp-server.ts'
import { startSftpServer } from '../../../support/sftp-server.ts'
import { until } from '../../../support/until.ts'
import { openStand, someBytes } from './stand.ts'

const good = makeCertificate({ hosts: ['127.0.0.1', 'localhost'] })
const expired = makeCertificate({ hosts: ['127.0.0.1'], from: new Date('2020-01-01'), until: new Date('2020-02-01') })
const early = makeCertificate({ hosts: ['127.0.0.1'], from: new Date('2048-01-01') })
const elsewhere = makeCertificate({ hosts: ['other.example'] })
const unknown = makeCertificate({ hosts: ['127.0.0.1'] })

const authorities = tls.getCACertificates('default')
tls.setDefaultCACertificates([...authorities, good.cert, expired.cert, early.cert, elsewhere.cert])

const plain = await startFtpServer()
const explicit = await startFtpServer({ tls: good })
const implicit = await startFtpServer({ tls: good, implicit: true })
const servers = { FTP: plain, 'FTPS, explicit': explicit, 'FTPS, implicit': implicit }
const all = Object.entries(servers)
const stand = await openStand()
const content = someBytes(1_000_001)
beforeEach(() => {
  for (const server of Object.values(servers)) {
    server.mend()
    server.serve(content)
  }
})
afterEach(async () => {
  await stand.expectNothingLeft()
  for (const [name, server] of all) await until(`${name} has no connection left`, () => server.open.size === 0)
})
afterAll(async () => {
  tls.setDefaultCACertificates(authorities)
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]()
  await stand[Symbol.asyncDispose]()
})

describe.each(all)('%s', (name, server) => {
  const { connection, faults } = server

  test.each([0, 1, 65_536, 1_000_001])('issue 5 §1: a file of %s bytes comes whole, with its hash', async (length) => {
    server.serve(content.subarray(0, length))
    const file = await stand.read(connection)
    expect(file.content.equals(content.subarray(0, length))).toBe(true)
    expect(file.stat).toEqual({ size: length, mtime: new Date('2026-01-02T03:04:05Z') })
    expect(file.learned).toEqual([])
    expect(file.text).not.toContain(ftpUser.password)
    expect(server.commands).toContain(`PASS ${ftpUser.password}`)
  })

  test('issue 5 §1: data come passively, encrypted where the control connection is', async () => {
    await stand.read(connection)
    expect(server.commands.filter((line) => /^(PORT|EPRT)/.test(line))).toEqual([])
    expect(server.commands.includes('PROT P')).toBe(name !== 'FTP')
  })

  test('issue 5 §1: data connections go on with the TLS session of the control connection, as many servers demand', async () => {
    await stand.read(connection)
    expect(server.resumed).toEqual(name === 'FTP' ? [] : [true])
  })

  test('issue 5 §1: a server that knows no EPSV is asked for PASV', async () => {
    faults.replies = { EPSV: '500 Not known.' }
    expect((await stand.read(connection)).bytes).toBe(content.length)
  })

  test('S2 §16.2: a wrong password is final', async () => {
    const { code, kind, message, text } = await stand.fail({ ...connection, secret: { password: 'canary-wrong' } })
    expect([code, kind]).toEqual(['FEED_LOGIN_REFUSED', 'final'])
    expect(message).toContain('530 Login incorrect.')
    expect(text).not.toContain('canary')
  })

  test('FAULTS R12: after a cut the download goes on where it ended', async () => {
    faults.cutAfter = { bytes: 400_000, times: 1, say: '426 Connection closed; transfer aborted.' }
    const { content: came, events } = await stand.read(connection)
    expect(came.equals(content)).toBe(true)
    const retry = events.find(({ event }) => event === 'DOWNLOAD_RETRY')
    expect(server.commands).toContain(`REST ${Number(retry?.bytesDownloaded)}`)
    expect(server.commands.filter((line) => line.startsWith('RETR'))).toHaveLength(2)
  })

  test('FAULTS R12: a control connection that breaks in the middle is made again', async () => {
    faults.cutAfter = { bytes: 400_000, times: 1 }
    expect((await stand.read(connection)).content.equals(content)).toBe(true)
  })

  test('issue 5 §1: a server that falls silent is given up after the idle limit', async () => {
    faults.stallAfter = 400_000
    const { code, kind } = await stand.fail(connection, { limits: { idleMs: 100 } })
    expect([code, kind]).toEqual(['TRANSFER_TIMED_OUT', 'transient'])
  })

  test('issue 5 §1: a download that passes the limit is stopped there', async () => {
    faults.replies = { SIZE: '500 Not known.' }
    const progress: number[] = []
    const { code, kind } = await stand.fail(connection, {
      maxBytes: 100_000,
      onProgress: ({ bytes }) => progress.push(bytes),
    })
    expect([code, kind]).toEqual(['FILE_SIZE_LIMIT_EXCEEDED', 'final'])
    expect(Math.max(...progress)).toBeLessThanOrEqual(100_000)
  })

  test('a job that is taken away gives the download up with the reason it was given', async () => {
    const taken = new AbortController()
    const reason = new Error('taken away')
    const { error } = await stand.fetch(connection, { signal: taken.signal, onProgress: () => taken.abort(reason) })
    expect(error).toBe(reason)
  })
})

const { connection, faults } = plain

test('issue 5 §1: FTP without encryption is refused unless it is allowed, before anything is connected to', async () => {
  const { code, kind, message } = await stand.fail(connection, { allowPlainFtp: false })
  expect([code, kind]).toEqual(['PLAIN_FTP_NOT_ALLOWED', 'final'])
  expect(message).toContain('FTP sends the password in clear')
  expect(plain.commands).toEqual([])
  expect((await stand.read(explicit.connection, { allowPlainFtp: false })).bytes).toBe(content.length)
})

test.each<[string, FtpFaults, string, string]>([
  ['421 at once', { greeting: '421 Too many connections' }, 'FEED_SERVER_BUSY', 'transient'],
  ['120 at once', { greeting: '120 Ready in 5 minutes' }, 'FEED_SERVER_BUSY', 'transient'],
  ['421 for the file', { replies: { RETR: '421 Timeout.' } }, 'FEED_SERVER_BUSY', 'transient'],
  ['425', { replies: { RETR: '425 Cannot open data connection' } }, 'FEED_SERVER_BUSY', 'transient'],
  ['450', { replies: { RETR: '450 File busy' } }, 'FEED_SERVER_BUSY', 'transient'],
  ['451', { replies: { RETR: '451 Local error' } }, 'FEED_SERVER_BUSY', 'transient'],
  ['452', { replies: { RETR: '452 No space' } }, 'FEED_SERVER_BUSY', 'transient'],
  ['426', { replies: { RETR: '426 Aborted' } }, 'TRANSFER_INTERRUPTED', 'transient'],
  ['530 for the user', { replies: { USER: '530 No such user' } }, 'FEED_LOGIN_REFUSED', 'final'],
  ['530 with too many', { replies: { PASS: '530 Too many users are logged in' } }, 'FEED_SERVER_BUSY', 'transient'],
  ['530 that wants TLS', { replies: { USER: '530 Sessions must use encryption.' } }, 'TRANSPORT_MISMATCH', 'final'],
  ['332', { replies: { PASS: '332 Account, please' } }, 'FEED_LOGIN_REFUSED', 'final'],
  ['550 without a file', { replies: { RETR: '550 Failed to open file.' } }, 'FEED_FILE_NOT_FOUND', 'final'],
  ['550 without leave', { replies: { RETR: '550 Permission denied.' } }, 'FEED_ACCESS_DENIED', 'final'],
  ['550 for a folder', { replies: { RETR: '550 /feeds: not a plain file.' } }, 'FEED_FILE_NOT_USABLE', 'final'],
  ['553', { replies: { RETR: '553 Not allowed' } }, 'FEED_ACCESS_DENIED', 'final'],
  ['502', { replies: { RETR: '502 Not implemented' } }, 'TRANSPORT_MISMATCH', 'final'],
  ['599', { replies: { RETR: '599 Who knows' } }, 'TRANSFER_FAILED', 'transient'],
])('S2 §16.2: %s', async (_what, wrong, code, kind) => {
  Object.assign(faults, wrong)
  const failure = await stand.fail(connection)
  expect([failure.code, failure.kind]).toEqual([code, kind])
  expect(failure.message).toContain(`127.0.0.1:${connection.port}/feeds/catalog.csv: `)
  expect(failure.hint).toMatch(/\.$/)
})

test('S2 §16.2: what the server answers is quoted on one line, shortened, and without the password', async () => {
  faults.replies = { PASS: `530-Not you\r\n530 ${ftpUser.password} is wrong ${'x'.repeat(5000)}` }
  const { message, text } = await stand.fail(connection)
  expect(message).toContain('530-Not you 530 ******** is wrong')
  expect(message.length).toBeLessThan(500)
  expect(message).not.toMatch(/[\r\n]/)
  expect(text.slice(0, text.indexOf('cause'))).not.toContain(ftpUser.password)
})

test.each([0, 5, 10, 15])('S2 §10.5: no part of a password is left where an answer is cut off (%s)', async (shift) => {
  const words = '530 '.padEnd(295 - shift, 'x')
  faults.replies = { PASS: `${words}${ftpUser.password}` }
  expect((await stand.fail(connection)).message).not.toContain('canary')
})

test('S2 §9.5: a server that knows neither SIZE nor MDTM is asked for the file all the same', async () => {
  faults.replies = { SIZE: '500 Not known.', MDTM: '500 Not known.' }
  const isUnchanged = (stat: object) => Object.keys(stat).length > 0
  expect(await stand.read(connection, { isUnchanged })).toMatchObject({ bytes: content.length, stat: {} })
  faults.replies = { SIZE: '213 many', MDTM: '213 yesterday' }
  expect(await stand.read(connection)).toMatchObject({ bytes: content.length, stat: {} })
})

test.each([
  ['213 -5', '213 99999999999999'],
  ['213 -99999999999999999999', '213 -0260101000000'],
])('FAULTS S6: what no file can have (%s, %s) is not taken for its size and time', async (SIZE, MDTM) => {
  faults.replies = { SIZE, MDTM }
  const { bytes, stat } = await stand.read(connection)
  expect([bytes, stat]).toEqual([content.length, {}])
})

test('FAULTS S6: a password with a line break sends no second command, and is not tried again', async () => {
  const { code, kind, text } = await stand.fail({
    ...connection,
    secret: { password: 'canary\r\nDELE /feeds/catalog.csv' },
  })
  expect([code, kind]).toEqual(['FEED_LOGIN_REFUSED', 'final'])
  expect(plain.commands.join('\n')).not.toMatch(/DELE/)
  expect(text).not.toContain('canary')
})

test.each(['502 Not known.', '550 Not here.', '421 Not now.'])(
  'RULINGS 23: a server that answers REST with %s is asked for the whole',
  async (reply) => {
    faults.cutAfter = { bytes: 400_000, times: 1, say: '426 Aborted' }
    faults.replies = { REST: reply }
    expect((await stand.read(connection)).content.equals(content)).toBe(true)
    expect(plain.commands.filter((line) => /^(REST|RETR)/.test(line)).map((line) => line.slice(0, 4))).toEqual([
      'RETR',
      'REST',
      'RETR',
    ])
  },
)

test('FAULTS R12: a size that is wrong, and a transfer that is said to be complete too early', async () => {
  faults.cutAfter = { bytes: 400_000, times: 99, say: '226 Transfer complete.' }
  const early = await stand.fail(connection)
  expect([early.code, early.kind]).toEqual(['TRANSFER_INCOMPLETE', 'transient'])
  plain.mend()
  faults.reportSize = 1_000_002
  const wrong = await stand.fail(connection)
  expect([wrong.code, wrong.kind]).toEqual(['TRANSFER_INCOMPLETE', 'transient'])
  expect(wrong.message).toContain('1000001 bytes arrived, but the server says that the file has 1000002.')
})

test('RULINGS 23: a file that changes while it is read is refused, and may be tried later', async () => {
  faults.whenAt = { bytes: 500_000, act: () => plain.serve(content, new Date('2026-05-05')) }
  const { code, kind } = await stand.fail(connection)
  expect([code, kind]).toEqual(['FEED_FILE_CHANGED', 'transient'])
})

test('FAULTS S6: a server that sends a byte now and then is given up after the idle limit', async () => {
  faults.trickle = { bytes: 1, everyMs: 5 }
  const { code } = await stand.fail(connection, { limits: { idleMs: 100 } })
  expect(code).toBe('TRANSFER_TIMED_OUT')
})

test.each(['greeting', 'USER', 'PASS', 'FEAT', 'TYPE'])(
  'FAULTS S6: a server that says nothing at %s is given up after the connect limit',
  async (at) => {
    Object.assign(faults, at === 'greeting' ? { greeting: undefined } : { replies: { [at]: undefined } })
    const { code, message } = await stand.fail(connection, { limits: { connectMs: 100 } })
    expect([code, message]).toEqual([
      'FEED_HOST_UNREACHABLE',
      `127.0.0.1:${connection.port} did not let us in within 0.1 s.`,
    ])
  },
)

test.each(['SIZE', 'EPSV', 'RETR'])(
  'FAULTS S6: a server that says nothing at %s is given up after the idle limit',
  async (at) => {
    faults.replies = { [at]: undefined }
    const { code } = await stand.fail(connection, { limits: { idleMs: 100 } })
    expect(code).toBe('TRANSFER_TIMED_OUT')
  },
)

test('FAULTS S6: data are fetched from the host of the control connection only', async () => {
  faults.replies = { EPSV: '500 Not known.', PASV: '227 Entering Passive Mode (10,0,0,1,4,1)' }
  const { code } = await stand.fail(connection)
  expect(code).toBe('FEED_HOST_UNREACHABLE')
})

test('FAULTS S6: a path with a line break sends no second command', async () => {
  const { code } = await stand.fail({ ...connection, path: '/feeds/a\r\nDELE b' })
  expect([code, plain.commands]).toEqual(['FEED_FILE_NOT_USABLE', []])
})

test.each([
  ['expired', expired, 'has expired (CERT_HAS_EXPIRED)'],
  ['not valid yet', early, 'is not valid yet (CERT_NOT_YET_VALID)'],
  [
    'for another host',
    elsewhere,
    'is for another host (ERR_TLS_CERT_ALTNAME_INVALID): IP: 127.0.0.1 is not in the cert',
  ],
  [
    'of nobody known',
    unknown,
    'is signed by itself, or by an authority that nobody here knows (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ],
] as const)(
  'issue 5 §1: a certificate that is %s is refused, and no password sent',
  async (_what, certificate, why) => {
    for (const implicit of [false, true]) {
      await using server = await startFtpServer({ tls: certificate, implicit })
      const { code, kind, message } = await stand.fail(server.connection)
      expect([code, kind]).toEqual(['TLS_CERTIFICATE_REFUSED', 'final'])
      expect(message).toContain(`the certificate of the server ${why}`)
      expect(server.commands.filter((line) => line !== 'AUTH TLS' && line !== 'QUIT')).toEqual([])
    }
  },
)

test('issue 5 §1: the certificate must be for the name, though the connection goes to the address', async () => {
  expect((await stand.read({ ...explicit.connection, host: 'localhost' })).bytes).toBe(content.length)
  expect((await stand.read({ ...implicit.connection, host: 'localhost' })).bytes).toBe(content.length)
  // One server may have a certificate for each of its names; an address is none.
  await stand.read(explicit.connection)
  expect([explicit.names, implicit.names]).toEqual([['localhost', false], ['localhost']])
})

test('S2 §16.2: a server without TLS is named', async () => {
  const asked = { ...connection, transport: 'FTPS' as const }
  const withoutAuth = await stand.fail(asked)
  expect([withoutAuth.code, withoutAuth.kind]).toEqual(['TRANSPORT_MISMATCH', 'final'])
  const onPlainPort = await stand.fail({ ...asked, tlsMode: 'IMPLICIT' })
  expect([onPlainPort.code, onPlainPort.kind]).toEqual(['TRANSPORT_MISMATCH', 'final'])
  expect(plain.commands.filter((line) => line.startsWith('PASS'))).toEqual([])
})

test('S2 §16.2: SFTP is named to a feed that is set to FTP, and FTP to one that is set to SFTP', async () => {
  await using sftp = await startSftpServer()
  const { code, message } = await stand.fail({ ...connection, port: sftp.connection.port })
  expect([code, message]).toEqual([
    'TRANSPORT_MISMATCH',
    `127.0.0.1:${sftp.connection.port} speaks SSH, but the feed is set to FTP.`,
  ])
  const other = await stand.fail({ ...sftp.connection, port: connection.port })
  expect([other.code, other.message]).toEqual([
    'TRANSPORT_MISMATCH',
    `127.0.0.1:${connection.port} speaks FTP, but the feed is set to SFTP.`,
  ])
})

test('FAULTS S6: an endless answer is cut off', async () => {
  const endless = createServer((socket) => {
    socket.on('error', () => {})
    const more = () => socket.writable && socket.write('220-'.padEnd(60_000, 'x'), () => setImmediate(more))
    more()
  }).listen(0, '127.0.0.1')
  await once(endless, 'listening')
  const { port } = endless.address() as AddressInfo
  const { kind } = await stand.fail({ ...connection, port })
  expect(kind).toBe('transient')
  const closed = once(endless, 'close')
  endless.close()
  await closed
})
