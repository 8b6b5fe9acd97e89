import { createHash } from 'node:crypto'
import { PermanentError } from '../../queue/job-error.ts'
import { serverOf, type FeedConnection } from './connection.ts'

/** The fingerprint of a host key, in the form that OpenSSH shows. */
export const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

/** A stored pin may have been entered by hand, with the padding or without the word before it. */
const plain = (pin: string) =>
  pin
    .trim()
    .replace(/^SHA256:/i, '')
    .replace(/=+$/, '')

/** Whether a host key is accepted: one of the pins, or, where there is none yet, whichever comes first. */
export const isAccepted = (fingerprint: string, pins: string[]): boolean =>
  pins.length === 0 || pins.some((pin) => plain(pin) === plain(fingerprint))

export function hostKeyChanged(connection: FeedConnection, shown: string): PermanentError {
  const { hostKeys } = connection
  const expected = hostKeys.length === 1 ? `Accepted is ${hostKeys[0]}` : `Accepted are ${hostKeys.join(' and ')}`
  return new PermanentError(
    `${serverOf(connection)} shows the host key ${shown}. ${expected}. Nothing was sent to it.`,
    {
      code: 'HOST_KEY_CHANGED',
      hint: `Ask the network whether it changed its key. If it did, accept it with acceptHostKey(fingerprint: "${shown}"); if not, somebody may be listening.`,
    },
  )
}
