import tls from 'node:tls'
import { afterAll, expect, test } from 'vitest'
import type { CheckedAddress } from '../../../../src/domain/fetch/address-guard.ts'
import type { FeedConnection } from '../../../../src/domain/feeds/transport/connection.ts'
import { openSession } from '../../../../src/domain/feeds/transport/session.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { startFtpServer } from '../../../support/ftp-server.ts'
import { startSftpServer } from '../../../support/sftp-server.ts'

const certificate = makeCertificate({ hosts: ['feeds.invalid'] })
const authorities = tls.getCACertificates('default')
tls.setDefaultCACertificates([...authorities, certificate.cert])
const servers = {
  SFTP: await startSftpServer(),
  FTP: await startFtpServer(),
  'FTPS, explicit': await startFtpServer({ tls: certificate }),
  'FTPS, implicit': await startFtpServer({ tls: certificate, implicit: true }),
}
afterAll(async () => {
  tls.setDefaultCACertificates(authorities)
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]()
})

const loopback: CheckedAddress = { address: '127.0.0.1', family: 4 }
const elsewhere: CheckedAddress = { address: '127.0.0.2', family: 4 }

/** What the server says of the file, asked at these addresses and no others. */
async function ask(connection: FeedConnection, addresses: CheckedAddress[]) {
  const taken = new AbortController()
  const door = {
    addresses,
    signal: taken.signal,
    cut: (reason: Error) => taken.abort(reason),
    onHostKey: () => Promise.resolve(),
  }
  await using session = await openSession(connection, door)
  return await session.stat()
}

test.each(Object.entries(servers))(
  'issue 5 §1: %s goes to the address that was checked; nobody looks the name up, which certificates go by',
  async (_name, server) => {
    server.serve(Buffer.from('abc'))
    const named = { ...server.connection, host: 'feeds.invalid' }
    expect(await ask(named, [loopback])).toMatchObject({ size: 3 })
  },
)

test('of several checked addresses the one that answers is taken', async () => {
  const { SFTP } = servers
  SFTP.serve(Buffer.from('abc'))
  const named = { ...SFTP.connection, host: 'feeds.invalid' }
  expect(await ask(named, [elsewhere, loopback])).toMatchObject({ size: 3 })
  await expect(ask({ ...named, port: 1 }, [elsewhere, loopback])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
