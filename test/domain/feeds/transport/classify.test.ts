import { FTPError } from 'basic-ftp'
import { expect, test } from 'vitest'
import { classificationOf, classify } from '../../../../src/domain/feeds/transport/classify.ts'
import type { FeedConnection } from '../../../../src/domain/feeds/transport/connection.ts'
import { secretsOf, targetOf } from '../../../../src/domain/feeds/transport/connection.ts'
import { failureCodes, type FailureCode } from '../../../../src/domain/failure-codes.ts'
import { JobError, PermanentError } from '../../../../src/domain/queue/job-error.ts'

const connection: FeedConnection = {
  transport: 'SFTP',
  tlsMode: 'EXPLICIT',
  host: 'feeds.example',
  port: 22,
  path: '/a/b.csv',
  username: 'u',
  secret: {},
  hostKeys: [],
}
const coded = (code: string | number, message = 'it failed') => Object.assign(new Error(message), { code })
const ofLevel = (level: string, message = 'it failed') => Object.assign(new Error(message), { level })

const table: [string, unknown, FailureCode, 'transient' | 'permanent' | 'config'][] = [
  ...['ETIMEDOUT', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].map(
    (code): [string, unknown, FailureCode, 'transient'] => [code, coded(code), 'FEED_HOST_UNREACHABLE', 'transient'],
  ),
  ...['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].map((code): [string, unknown, FailureCode, 'transient'] => [
    code,
    coded(code),
    'TRANSFER_INTERRUPTED',
    'transient',
  ]),
  ...['ENOTFOUND', 'EAI_AGAIN'].map((code): [string, unknown, FailureCode, 'transient'] => [
    code,
    coded(code),
    'FEED_HOST_UNKNOWN',
    'transient',
  ]),
  [
    'several addresses',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'FEED_HOST_UNREACHABLE',
    'transient',
  ],
  ['FTP 421', new FTPError({ code: 421, message: '421 Busy' }), 'FEED_SERVER_BUSY', 'transient'],
  ['FTP 450', new FTPError({ code: 450, message: '450 Busy' }), 'FEED_SERVER_BUSY', 'transient'],
  ['FTP 452', new FTPError({ code: 452, message: '452 Full' }), 'FEED_SERVER_BUSY', 'transient'],
  ['FTP 530', new FTPError({ code: 530, message: '530 No' }), 'FEED_LOGIN_REFUSED', 'permanent'],
  [
    'FTP 522',
    new FTPError({ code: 522, message: '522 SSL connection failed: session reuse required' }),
    'TRANSPORT_MISMATCH',
    'config',
  ],
  ['FTP 534', new FTPError({ code: 534, message: '534 Policy requires SSL' }), 'TRANSPORT_MISMATCH', 'config'],
  [
    'FTP data port closed',
    new Error("Can't open data connection in passive mode: connect ECONNREFUSED"),
    'FEED_HOST_UNREACHABLE',
    'transient',
  ],
  [
    'FTP server gone',
    new Error('Server sent FIN packet unexpectedly, closing connection.'),
    'TRANSFER_INTERRUPTED',
    'transient',
  ],
  ['SFTP channel refused', new Error('(SSH) Channel open failure: resource shortage'), 'FEED_SERVER_BUSY', 'transient'],
  ['SFTP channel time-out', new Error('No response from server'), 'FEED_SERVER_BUSY', 'transient'],
  [
    'SFTP auth',
    ofLevel('client-authentication', 'All configured authentication methods failed'),
    'FEED_LOGIN_REFUSED',
    'permanent',
  ],
  [
    'SSH algorithms',
    ofLevel('handshake', 'Handshake failed: no matching key exchange algorithm'),
    'TRANSPORT_MISMATCH',
    'config',
  ],
  ['SFTP status 2', coded(2, 'No such file'), 'FEED_FILE_NOT_FOUND', 'permanent'],
  ['SFTP status 3', coded(3, 'Permission denied'), 'FEED_ACCESS_DENIED', 'permanent'],
  ['SFTP status 4', coded(4, 'Failure'), 'TRANSFER_FAILED', 'transient'],
  ['SFTP status 7', coded(7, 'Connection lost'), 'TRANSFER_INTERRUPTED', 'transient'],
  ['SFTP status 8', coded(8, 'Unsupported'), 'TRANSPORT_MISMATCH', 'config'],
  ...[
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CERT_REVOKED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ].map((code): [string, unknown, FailureCode, 'config'] => [code, coded(code), 'TLS_CERTIFICATE_REFUSED', 'config']),
  ['TLS on a plain port', coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'TRANSPORT_MISMATCH', 'config'],
  ['TLS alert', coded('EPROTO'), 'TRANSPORT_MISMATCH', 'config'],
  ['no room', coded('ENOSPC'), 'DISK_FULL', 'transient'],
  ['over quota', coded('EDQUOT'), 'DISK_FULL', 'transient'],
  ['an unknown error', new Error('Who knows'), 'TRANSFER_FAILED', 'transient'],
  ['an unknown code', coded('EWHATEVER'), 'TRANSFER_FAILED', 'transient'],
  ['no error at all', 'a text', 'TRANSFER_FAILED', 'transient'],
  ['nothing', undefined, 'TRANSFER_FAILED', 'transient'],
]

test.each(table)('S2 §16.2: %s', (_what, error, code, classification) => {
  const failure = classify(error, connection)
  expect([failure.code, classificationOf(code)]).toEqual([code, classification])
  expect(failure instanceof PermanentError).toBe(classification !== 'transient')
  expect(failure.message).toMatch(/^feeds\.example:22\/a\/b\.csv: .+\.$/)
  expect(failure.hint).toBe(failureCodes[code].hint)
})

test('S2 §16.2: a failure of ours stays what it is', () => {
  const ours = new JobError('It is late.', { code: 'JOB_TIMED_OUT' })
  expect(classify(ours, connection)).toBe(ours)
})

test.each([
  [{ host: 'feeds.example', port: 22, path: '/a/b.csv' }, 'feeds.example:22/a/b.csv'],
  [{ host: 'feeds.example', port: 21, path: 'b.csv' }, 'feeds.example:21/b.csv'],
  [{ host: '2606:4700::1111', port: 22, path: '/b.csv' }, '[2606:4700::1111]:22/b.csv'],
])('messages name a file as %j is %s', (target, text) => {
  expect(targetOf(target)).toBe(text)
})

test('S2 §10.5: everything secret of a connection is known, and nothing empty', () => {
  expect(secretsOf({ secret: { password: 'a', privateKey: 'b', passphrase: 'c' } })).toEqual(['a', 'b', 'c'])
  expect(secretsOf({ secret: { password: '' } })).toEqual([])
})
