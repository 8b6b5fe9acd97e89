/**
 * Every code that a job or a run of ours may fail with, and what went wrong with a single row or item: what it means, and what
 * to do where the failure itself does not say. A code is never renamed, and never reused for something else. What a request is
 * refused with, too, has one entry, in `error-codes.ts`, and stands here as `CODE: errorCodes.CODE`. `docs/errors.md` is made
 * from this.
 */
export const failureCodes = {
  JOB_PAYLOAD_INVALID: {
    meaning: 'What the job carries is not what this program’s queue takes.',
    hint: 'Enqueue the job again with the payload that the queue takes now.',
  },
  JOB_TIMED_OUT: {
    meaning: 'An attempt took longer than its queue allows.',
    hint: 'Look for what it waits for in the log of its job.',
  },
  WORKER_LOST: {
    meaning: 'The process of the last attempt died.',
    hint: 'Look for the reason of the kernel or the container at that time.',
  },
  WORKER_STOPPING: {
    meaning: 'The process stops; the job was handed back and has lost no attempt.',
    hint: 'There is nothing to do.',
  },
  DATABASE_ERROR: {
    meaning: 'Postgres refused or undid what was written.',
    hint: 'The message says what; the stack is in the log, under the jobId.',
  },
  UNEXPECTED_ERROR: {
    meaning: 'Something happened that the code did not foresee.',
    hint: 'The stack is in the log, under the jobId.',
  },
  CANCELLED: {
    meaning: 'The run was not wanted any more. It does not count.',
    hint: 'There is nothing to do.',
  },
  CANCELLED_BY_OPERATOR: {
    meaning: 'An operator cancelled the job. Its run does not count.',
    hint: 'Start it again when it is wanted.',
  },
  RUN_CONNECTION_LOST: {
    meaning: 'The connection that the run writes on was lost; what was not committed is undone.',
    hint: 'The run is tried again from scratch. If this goes on, look at the log of Postgres and at the network.',
  },
  RUN_REAPED: {
    meaning: 'The run stopped without an end, and no job was left to go on with it.',
    hint: 'Look at the log of the workers at that time (memory, kills), then start the run again.',
  },
  SLACK_WEBHOOK_GONE: {
    meaning: 'Slack answered 403, 404 or 410: the webhook was revoked, or its channel archived.',
    hint: 'Make a new incoming webhook in Slack for a channel that is not archived, set SLACK_WEBHOOK_URL to it and restart the workers. What waits is delivered then.',
  },
  SLACK_REDIRECTED: {
    meaning: 'The address of the webhook answers with a redirect.',
    hint: 'Set SLACK_WEBHOOK_URL to the address that Slack shows for the webhook, https included.',
  },
  SLACK_REFUSED: {
    meaning: 'Slack answered another 4xx.',
    hint: 'Check that SLACK_WEBHOOK_URL is an incoming webhook of Slack; if it is, report the message as a fault.',
  },
  SLACK_UNAVAILABLE: {
    meaning: 'Slack was not reached, was too slow (10 s), or answered 5xx.',
    hint: 'It is tried again. If it stays, see whether this host can reach Slack.',
  },
  ADDRESS_NOT_ALLOWED: {
    meaning: 'The host stands for addresses of a private network only, and those are not open to feeds and fetches.',
    hint: 'Correct the host. If it is meant, set FRESHET_ALLOW_PRIVATE_NETWORK=true and restart the workers.',
  },
  CREDENTIAL_UNREADABLE: {
    meaning:
      'The stored credential of the feed was not encrypted with a key that this process has, or was changed since.',
    hint: 'Give all processes the key it was encrypted with (CREDENTIAL_ENCRYPTION_KEY_B64, or CREDENTIAL_ENCRYPTION_OLD_KEY_B64 for the one before), or enter the credential of the feed anew.',
  },
  PRIVATE_KEY_UNUSABLE: {
    meaning: 'The private key of the feed cannot be read, or its passphrase is missing or wrong.',
    hint: 'Enter the private key in OpenSSH or PEM form, whole, and its passphrase if it has one.',
  },
  PLAIN_FTP_NOT_ALLOWED: {
    meaning: 'The feed uses FTP without encryption, and this installation does not allow that.',
    hint: 'Change the feed to SFTP or FTPS, or set AFFILIATE_FEED_ALLOW_PLAIN_FTP=true and restart the workers.',
  },
  FEED_HOST_UNKNOWN: {
    meaning: 'The name of the host could not be looked up.',
    hint: 'It is tried again. If it stays, check the host of the feed and the DNS of this machine.',
  },
  FEED_HOST_UNREACHABLE: {
    meaning: 'The host did not take the connection, or said nothing within the time limit.',
    hint: 'It is tried again. If it stays, check host and port, whether the server runs, and whether it lets the address of this machine in.',
  },
  FEED_SERVER_BUSY: {
    meaning: 'The server has no room at the moment: too many connections, or the file or its disk is in use.',
    hint: 'It is tried again. If it stays, run the feed at another time, or ask the network for more connections.',
  },
  FEED_LOGIN_REFUSED: {
    meaning: 'The server does not take the user name with this password or key.',
    hint: 'Enter the credential of the feed anew, and run its test.',
  },
  FEED_ACCESS_DENIED: {
    meaning: 'The server let the user in, but not at the file.',
    hint: 'Ask the network to let this user read the file, or correct the path.',
  },
  FEED_FILE_NOT_FOUND: {
    meaning: 'There is no file at the path, or none that this user may see.',
    hint: 'Correct the path of the feed: upper and lower case count, and it is seen from the folder that the user logs in to.',
  },
  FEED_FILE_NOT_USABLE: {
    meaning: 'What is at the path is no file, or the path is none.',
    hint: 'Correct the path of the feed so that it names one file.',
  },
  HOST_KEY_CHANGED: {
    meaning: 'The SSH server shows another host key than those accepted. Nothing was sent to it, no password either.',
    hint: 'Ask the network whether it changed its key. If it did, accept the new fingerprint with `acceptHostKey`; if not, somebody may be listening.',
  },
  TLS_CERTIFICATE_REFUSED: {
    meaning: 'The certificate of the server is expired, for another host, or from nobody known. No password was sent.',
    hint: 'Use the host name that the certificate is for, or ask the network to mend it. A certificate of a private authority is trusted through NODE_EXTRA_CA_CERTS.',
  },
  TRANSPORT_MISMATCH: {
    meaning: 'The server does not speak what the feed is set to: another protocol, another way of encryption, no SFTP.',
    hint: 'Compare transport, TLS mode and port of the feed with what the network names: SFTP usually has 22, FTP and explicit FTPS 21, implicit FTPS 990.',
  },
  TRANSFER_INTERRUPTED: {
    meaning: 'The connection was lost before the whole file was here.',
    hint: 'It is tried again. If it stays, look at the network between here and the server.',
  },
  TRANSFER_TIMED_OUT: {
    meaning: 'The server stopped sending, sent too slowly, or the whole took too long.',
    hint: 'It is tried again. If it stays, run the feed at another time, or ask the network why its server is slow.',
  },
  TRANSFER_INCOMPLETE: {
    meaning: 'What arrived is not as long as the server says that the file is. It was not used.',
    hint: 'It is tried again. If it stays, the network may be writing the file at that time: run the feed at another.',
  },
  TRANSFER_FAILED: {
    meaning: 'The server, or a library of ours, failed in a way that has no code of its own.',
    hint: 'It is tried again. If it stays, the message says what the server answered.',
  },
  FEED_FILE_CHANGED: {
    meaning: 'The file was changed on the server while it was read. It was not used.',
    hint: 'It is tried again. If it stays, run the feed at a time when the network does not write the file.',
  },
  FILE_SIZE_LIMIT_EXCEEDED: {
    meaning: 'The file is larger than the feed allows. The download was stopped there.',
    hint: 'Check that the path names the right file; if it does, raise the size limit of the feed.',
  },
  DISK_FULL: {
    meaning: 'The disk of this machine has no room for the file.',
    hint: 'Make room in FRESHET_DATA_DIR, or give it a larger disk. It is tried again.',
  },
} as const satisfies Record<string, { meaning: string; hint: string }>

export type FailureCode = keyof typeof failureCodes
