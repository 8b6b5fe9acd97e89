import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ssh2 from 'ssh2'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { makeKeys, sftpUser, startSftpServer } from '../../../support/sftp-server.ts'
import { until } from '../../../support/until.ts'
import { openStand, someBytes } from './stand.ts'

const keys = {
  plain: makeKeys(),
  locked: makeKeys({ passphrase: 'open sesame' }),
  other: makeKeys(),
}
const server = await startSftpServer({
  users: { byKey: { publicKey: keys.plain.public }, byLockedKey: { publicKey: keys.locked.public } },
})
const stand = await openStand()
const content = someBytes(3_000_001)
const { connection } = server
beforeEach(() => {
  server.mend()
  server.serve(content)
})
afterEach(async () => {
  await stand.expectNothingLeft()
  await until('the server has no connection left', () => server.connections.size === 0)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await stand[Symbol.asyncDispose]()
})

test.each([0, 1, 32_767, 32_768, 32_769, 3_000_001])(
  'issue 5 §1: a file of %s bytes comes whole, with its hash',
  async (length) => {
    server.serve(content.subarray(0, length))
    const file = await stand.read(connection)
    expect(file.content.equals(content.subarray(0, length))).toBe(true)
    expect(file.stat).toEqual({ size: length, mtime: new Date('2026-01-02T03:04:05Z') })
  },
)

test('issue 5 §1: a server that answers fewer bytes than asked changes nothing', async () => {
  server.faults.mostAtOnce = 10_000
  expect((await stand.read(connection)).content.equals(content)).toBe(true)
})

test.each([
  ['a private key', { username: 'byKey', secret: { privateKey: keys.plain.private } }],
  [
    'a private key with a passphrase',
    { username: 'byLockedKey', secret: { privateKey: keys.locked.private, passphrase: 'open sesame' } },
  ],
])('issue 5 §1: %s opens the door', async (_what, login) => {
  expect((await stand.read({ ...connection, ...login })).bytes).toBe(content.length)
})

test('issue 5 §1: a server that asks for the password in a dialogue only gets it there', async () => {
  const answered: string[] = []
  const asking = new ssh2.Server({ hostKeys: [server.hostKey] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      if (context.method !== 'keyboard-interactive') return context.reject(['keyboard-interactive'])
      context.prompt([{ prompt: 'Password: ', echo: false }], (answers) => {
        answered.push(...answers)
        context.accept()
      })
    })
    client.on('session', (_accept, reject) => reject())
  })
  asking.listen(0, '127.0.0.1')
  await once(asking, 'listening')
  const { port } = asking.address() as AddressInfo
  const { code, learned } = await stand.fail({ ...connection, port })
  expect([code, answered, learned]).toEqual(['FEED_SERVER_BUSY', [sftpUser.password], [server.fingerprint]])
  asking.close()
})

test.each([
  ['without its passphrase', { privateKey: keys.locked.private }, 'its passphrase is missing or wrong'],
  ['with a wrong one', { privateKey: keys.locked.private, passphrase: 'close' }, 'its passphrase is missing or wrong'],
  ['that is none', { privateKey: 'canary-not-a-key' }, 'it has no form that is known'],
])('S2 §16.2: a private key %s is named, and no part of it shown', async (_what, secret, why) => {
  const { code, kind, message, text } = await stand.fail({ ...connection, username: 'byLockedKey', secret })
  expect([code, kind]).toEqual(['PRIVATE_KEY_UNUSABLE', 'final'])
  expect(message).toContain(why)
  expect(text).not.toContain('canary')
  expect(text).not.toContain(keys.locked.private.split('\n')[2])
})

test.each([
  ['password', { secret: { password: 'canary-wrong' } }],
  ['user', { username: 'nobody' }],
  ['key', { username: 'byKey', secret: { privateKey: keys.other.private } }],
  ['password, there being none', { secret: {} }],
])('S2 §16.2: a wrong %s is final, and the server’s name is in it', async (_what, wrong) => {
  const { code, kind, message, text } = await stand.fail({ ...connection, ...wrong })
  expect([code, kind]).toEqual(['FEED_LOGIN_REFUSED', 'final'])
  expect(message).toContain(
    `127.0.0.1:${server.port}/feeds/catalog.csv: the user name and its password or key were refused`,
  )
  expect(text).not.toContain('canary')
})

test('issue 5 §1: the host key is learned at first, then pinned; several pins allow for its rotation', async () => {
  expect((await stand.read(connection)).learned).toEqual([server.fingerprint])
  const { outcome, learned } = await stand.fetch(connection, { isUnchanged: () => true })
  expect(outcome).toEqual({ kind: 'unchanged', stat: { size: content.length, mtime: expect.any(Date) as Date } })
  expect(learned).toEqual([server.fingerprint])
  const pinned = { ...connection, hostKeys: ['SHA256:another', server.fingerprint] }
  expect(await stand.read(pinned)).toMatchObject({ bytes: content.length, learned: [] })
})

test('DESIGN 9.10: who let us in is pinned, though the file is not there; who did not, is not', async () => {
  const gone = await stand.fail({ ...connection, path: '/feeds/none.csv' })
  expect([gone.code, gone.learned]).toEqual(['FEED_FILE_NOT_FOUND', [server.fingerprint]])
  const refused = await stand.fail({ ...connection, secret: { password: 'wrong' } })
  expect([refused.code, refused.learned]).toEqual(['FEED_LOGIN_REFUSED', []])
})

test('issue 5 §1, FAULTS S6: a changed host key is told with both fingerprints, and no password is sent to it', async () => {
  const hostKeys = ['SHA256:abc', 'SHA256:def']
  const { code, kind, message, hint, events } = await stand.fail({ ...connection, hostKeys })
  expect([code, kind, server.logins]).toEqual(['HOST_KEY_CHANGED', 'final', []])
  expect(message).toBe(
    `127.0.0.1:${server.port} shows the host key ${server.fingerprint}. Accepted are SHA256:abc and SHA256:def. Nothing was sent to it.`,
  )
  expect(hint).toContain(`acceptHostKey(fingerprint: "${server.fingerprint}")`)
  expect(events.at(-2)).toMatchObject({
    event: 'DOWNLOAD_FAILED',
    level: 'error',
    classification: 'config',
    hint,
    willRetry: false,
  })
  expect(events.at(-1)).toMatchObject({ event: 'RETRY_SKIPPED', level: 'info', classification: 'config', code })
})

test.each([
  ['a file that is not there', { path: '/feeds/none.csv' }, {}, 'FEED_FILE_NOT_FOUND', 'final'],
  ['a folder', { path: '/feeds' }, {}, 'FEED_FILE_NOT_USABLE', 'final'],
  ['a path that ends in a slash', { path: '/feeds/' }, {}, 'FEED_FILE_NOT_USABLE', 'final'],
  ['a path with a line break', { path: '/feeds/a\r\nDELE b' }, {}, 'FEED_FILE_NOT_USABLE', 'final'],
  ['a file that may not be read', {}, { open: 3 }, 'FEED_ACCESS_DENIED', 'final'],
  ['a file that is gone when it is opened', {}, { open: 2 }, 'FEED_FILE_NOT_FOUND', 'final'],
  ['a failure without a reason', {}, { open: 4 }, 'TRANSFER_FAILED', 'transient'],
  ['a failure in the middle', {}, { read: 4 }, 'TRANSFER_FAILED', 'transient'],
  ['a connection that the server says is lost', {}, { read: 7 }, 'TRANSFER_INTERRUPTED', 'transient'],
  ['a server without SFTP', {}, { noSftp: true }, 'TRANSPORT_MISMATCH', 'final'],
] as const)('S2 §16.2: %s', async (_what, wrong, faults, code, kind) => {
  Object.assign(server.faults, faults)
  const failure = await stand.fail({ ...connection, ...wrong })
  expect([failure.code, failure.kind]).toEqual([code, kind])
  expect(failure.events.at(-1)?.event).toBe(kind === 'final' ? 'RETRY_SKIPPED' : 'DOWNLOAD_FAILED')
})

test('S2 §9.5: a server that says nothing of the file is asked for it all the same', async () => {
  server.faults.stat = () => 3
  const isUnchanged = (stat: object) => Object.keys(stat).length > 0
  expect(await stand.read(connection, { isUnchanged })).toMatchObject({ bytes: content.length, stat: {} })
})

test('issue 5 §1: a server that does not answer is given up after the connect limit', async () => {
  const silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { code, message } = await stand.fail({ ...connection, port }, { limits: { connectMs: 100 } })
  expect([code, message]).toEqual(['FEED_HOST_UNREACHABLE', `127.0.0.1:${port} did not let us in within 0.1 s.`])
  const closed = once(silent, 'close')
  silent.close()
  await closed // it only comes once the connection is gone, too
})

test('S2 §16.2: a port where nobody listens', async () => {
  const { code, kind } = await stand.fail({ ...connection, port: 1 })
  expect([code, kind]).toEqual(['FEED_HOST_UNREACHABLE', 'transient'])
})

test('S2 §16.2: a host that nobody knows', async () => {
  const { code, kind, message } = await stand.fail({ ...connection, host: 'no-such-host.invalid' })
  expect([code, kind]).toEqual(['FEED_HOST_UNKNOWN', 'transient'])
  expect(message).toContain('no-such-host.invalid')
})

test('issue 5 §1: loopback is refused unless it is allowed', async () => {
  const { code, kind, message } = await stand.fail(connection, { allowPrivate: false })
  expect([code, kind]).toEqual(['ADDRESS_NOT_ALLOWED', 'final'])
  expect(message).toBe('127.0.0.1 (loopback) is not a public address, and was not connected to.')
})

test.each([
  ['FTP', '220 Welcome\r\n'],
  ['HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
])('S2 §16.2: a server that speaks %s is named at once', async (spoken, greeting) => {
  const other = createServer((socket) => socket.on('error', () => {}).write(greeting)).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, kind, message } = await stand.fail({ ...connection, port })
  expect([code, kind, message]).toEqual([
    'TRANSPORT_MISMATCH',
    'final',
    `127.0.0.1:${port} speaks ${spoken}, but the feed is set to SFTP.`,
  ])
  other.close()
})
