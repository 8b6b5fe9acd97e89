import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { PermanentError } from '../../queue/job-error.ts'
import { findKey, type KeyRing } from './key-ring.ts'

/** What opens the door of a feed's server: a password, or a private key with its passphrase. */
export type FeedSecret = { password?: string; privateKey?: string; passphrase?: string }

/** A secret as it is stored: one blob, and which key made it. */
export type StoredSecret = { secretCiphertext: Uint8Array; secretKeyId: string }

// S2 §10.2: version (1 byte), IV (12), tag (16), ciphertext.
const formatVersion = 1
const ivBytes = 12
const tagBytes = 16
const headBytes = 1 + ivBytes + tagBytes

/** What a secret is bound to: a blob that is copied to another feed, or kept from an earlier version, does not open there. */
export const secretContext = (feedId: string | bigint, secretVersion: number): string =>
  `feed:${feedId}:v${secretVersion}`

/** Encrypts with the current key. `context` is that of `secretContext`, and the same must be given to decrypt. */
export function encryptSecret({ current }: KeyRing, secret: FeedSecret, context: string): StoredSecret {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', current.key, iv, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(context, 'utf8'))
  const body = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()])
  const secretCiphertext = Buffer.concat([Buffer.of(formatVersion), iv, cipher.getAuthTag(), body])
  return { secretCiphertext, secretKeyId: current.id }
}

/**
 * Decrypts, just before the connection and on a worker only. Whoever calls this names what comes out to `addSecrets`
 * (`fetchFeedFile` does). What is thrown tells neither a key nor any part of the blob.
 */
export function decryptSecret(keyRing: KeyRing, stored: StoredSecret, context: string): FeedSecret {
  const key = findKey(keyRing, stored.secretKeyId)
  if (!key) throw unreadable(unknownKey(keyRing, stored.secretKeyId))
  const blob = Buffer.from(stored.secretCiphertext)
  if (blob.length < headBytes) throw unreadable('what is stored is cut short')
  if (blob[0] !== formatVersion) throw unreadable(`it is of format ${blob[0]}, and this program knows ${formatVersion}`)
  const decipher = createDecipheriv('aes-256-gcm', key.key, blob.subarray(1, 1 + ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(context, 'utf8'))
  decipher.setAuthTag(blob.subarray(1 + ivBytes, headBytes))
  try {
    const text = Buffer.concat([decipher.update(blob.subarray(headBytes)), decipher.final()]).toString('utf8')
    return JSON.parse(text) as FeedSecret
  } catch {
    throw unreadable('what is stored was changed, or belongs to another feed or another version of this one')
  }
}

function unknownKey({ current, older }: KeyRing, id: string): string {
  const known = older ? `${current.id} and ${older.id}` : `${current.id} only`
  return `it was encrypted with the key ${id}, and this process has ${known}`
}

const unreadable = (why: string) =>
  new PermanentError(`The stored credential cannot be read: ${why}.`, { code: 'CREDENTIAL_UNREADABLE' })
