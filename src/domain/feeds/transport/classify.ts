import { FTPError } from 'basic-ftp'
import { reason, scrub } from '../../../log.ts'
import type { FailureCode } from '../../failure-codes.ts'
import { JobError, PermanentError } from '../../queue/job-error.ts'
import { cleanText } from '../../text.ts'
import { ftpCodeOf } from './classify-ftp.ts'
import { targetOf, type FeedConnection } from './connection.ts'

/**
 * How a failed transfer is to be met (S2 §16.2): tried again; not, for the server will answer the same; not, for the feed's
 * settings are wrong.
 */
export type Classification = 'transient' | 'permanent' | 'config'

const permanent: FailureCode[] = [
  'FEED_LOGIN_REFUSED',
  'FEED_ACCESS_DENIED',
  'FEED_FILE_NOT_FOUND',
  'FEED_FILE_NOT_USABLE',
  'FILE_SIZE_LIMIT_EXCEEDED',
]
const config: FailureCode[] = [
  'ADDRESS_NOT_ALLOWED',
  'CREDENTIAL_UNREADABLE',
  'PRIVATE_KEY_UNUSABLE',
  'PLAIN_FTP_NOT_ALLOWED',
  'HOST_KEY_CHANGED',
  'TLS_CERTIFICATE_REFUSED',
  'TRANSPORT_MISMATCH',
]

/** How a failure of one of these codes is met; whatever is not known to be final is tried again. */
export function classificationOf(code: FailureCode): Classification {
  if (permanent.includes(code)) return 'permanent'
  return config.includes(code) ? 'config' : 'transient'
}

/** A failure of ours with this code, final or not as the code says. */
export function transportFailure(code: FailureCode, message: string, cause?: unknown): JobError {
  const Failure = classificationOf(code) === 'transient' ? JobError : PermanentError
  return new Failure(message, { code, cause })
}

/** What any error of SFTP, FTP, TLS, DNS, a socket or our own disk means for the feed. What is ours already stays as it is. */
export function classify(error: unknown, connection: FeedConnection): JobError {
  if (error instanceof JobError) return error
  const code = codeOf(error)
  const [what, quote] =
    code === 'TLS_CERTIFICATE_REFUSED'
      ? [certificate(error), '']
      : [said[code] ?? 'the transfer failed', quoteOf(error)]
  return transportFailure(code, `${targetOf(connection)}: ${what}${quote}.`, error)
}

function codeOf(error: unknown): FailureCode {
  const { code, level } = Object(error) as { code?: unknown; level?: unknown }
  const message = error instanceof Error ? error.message : ''
  if (error instanceof FTPError) return ftpCodeOf(error.code, message)
  if (typeof code === 'string') {
    const known = ofSystem[code] ?? ofTls(code)
    if (known) return known
  }
  if (level === 'client-authentication') return 'FEED_LOGIN_REFUSED'
  if (typeof code === 'number' && ofSftp[code]) return ofSftp[code]
  return byWords.find(([words]) => words.test(message))?.[1] ?? 'TRANSFER_FAILED'
}

const ofSystem: Record<string, FailureCode> = {
  ENOTFOUND: 'FEED_HOST_UNKNOWN',
  EAI_AGAIN: 'FEED_HOST_UNKNOWN',
  EAI_FAIL: 'FEED_HOST_UNKNOWN',
  ENODATA: 'FEED_HOST_UNKNOWN',
  ETIMEDOUT: 'FEED_HOST_UNREACHABLE',
  ECONNREFUSED: 'FEED_HOST_UNREACHABLE',
  EHOSTUNREACH: 'FEED_HOST_UNREACHABLE',
  ENETUNREACH: 'FEED_HOST_UNREACHABLE',
  EADDRNOTAVAIL: 'FEED_HOST_UNREACHABLE',
  ECONNRESET: 'TRANSFER_INTERRUPTED',
  ECONNABORTED: 'TRANSFER_INTERRUPTED',
  EPIPE: 'TRANSFER_INTERRUPTED',
  ERR_STREAM_PREMATURE_CLOSE: 'TRANSFER_INTERRUPTED',
  ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC: 'TRANSFER_INTERRUPTED',
  EPROTO: 'TRANSPORT_MISMATCH',
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EFBIG: 'DISK_FULL',
}

/** OpenSSL's names for what is wrong with a certificate, and for two sides that do not speak the same. */
function ofTls(code: string): FailureCode | undefined {
  if (/CERT|ISSUER|LEAF_SIGNATURE|CRL|ALTNAME/.test(code)) return 'TLS_CERTIFICATE_REFUSED'
  return code.startsWith('ERR_SSL_') ? 'TRANSPORT_MISMATCH' : undefined
}

/** The codes of SFTP's answers (draft-ietf-secsh-filexfer-02 §7). */
const ofSftp: Record<number, FailureCode> = {
  2: 'FEED_FILE_NOT_FOUND',
  3: 'FEED_ACCESS_DENIED',
  6: 'TRANSFER_INTERRUPTED',
  7: 'TRANSFER_INTERRUPTED',
  8: 'TRANSPORT_MISMATCH',
}

/** Where a library has words only. */
const byWords: [RegExp, FailureCode][] = [
  [/^Invalid command/, 'FEED_LOGIN_REFUSED'], // a line break in the password: the path was looked at before
  [/no matching|Invalid identification|Unable to start subsystem|Unsupported protocol version/i, 'TRANSPORT_MISMATCH'],
  [/Can't open data connection|data transfer should begin|transfer strategies work/i, 'FEED_HOST_UNREACHABLE'],
  [/channel open failure|No response from server|Unable to exec/i, 'FEED_SERVER_BUSY'],
  [
    /FIN packet|closed connection|transmission error|connection lost|Client is closed|Not connected/i,
    'TRANSFER_INTERRUPTED',
  ],
]

const said: Partial<Record<FailureCode, string>> = {
  FEED_HOST_UNKNOWN: 'the name of the host was not found',
  FEED_HOST_UNREACHABLE: 'no connection could be made',
  FEED_LOGIN_REFUSED: 'the user name and its password or key were refused',
  FEED_ACCESS_DENIED: 'the user may not read the file',
  FEED_FILE_NOT_FOUND: 'there is no such file',
  FEED_SERVER_BUSY: 'the server is busy',
  TRANSPORT_MISMATCH: 'the server does not speak what the feed is set to',
  TRANSFER_INTERRUPTED: 'the connection was lost',
  DISK_FULL: 'the file does not fit on the disk of this machine',
}

// oxlint-disable-next-line no-control-regex -- they are what is taken out
const controls = /[\x00-\x1f\x7f]+/g

/** The words of the other side, or of the system: shortened, on one line, and without what is secret. */
function quoteOf(error: unknown): string {
  const words = cleanText(scrub(reason(error)), 300)
    .replace(controls, ' ')
    .trim()
  return words === '' ? '' : ` (${words})`
}

const wrongs: [RegExp, string][] = [
  [/CERT_HAS_EXPIRED/, 'has expired'],
  [/NOT_YET_VALID/, 'is not valid yet'],
  [/ALTNAME/, 'is for another host'],
  [/SELF_SIGNED/, 'is signed by itself, or by an authority that nobody here knows'],
  [/REVOKED/, 'was revoked'],
]

function certificate(error: unknown): string {
  const { code, reason } = Object(error) as { code?: string; reason?: string }
  const what = wrongs.find(([form]) => form.test(code ?? ''))?.[1] ?? 'is from an authority that nobody here knows'
  const detail = code === 'ERR_TLS_CERT_ALTNAME_INVALID' && reason ? `: ${cleanText(reason, 200)}` : ''
  return `the certificate of the server ${what} (${code})${detail.replace(/\.$/, '')}`
}
