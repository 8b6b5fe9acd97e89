import { createHash, randomBytes } from 'node:crypto'
import { keyForm } from '../../key-form.ts'

/** What is kept of a key: enough to recognise it, not enough to use it. */
export type KeyDigest = { prefix: string; hash: Buffer<ArrayBuffer> }

/** A new secret: `frs_` and 256 random bits. It is shown once; only its digest is stored. */
export function makeKey(): string {
  return `frs_${randomBytes(32).toString('base64url')}`
}

/** The digest of a key, or nothing if the text cannot be one. A fast hash is right here: 256 random bits cannot be guessed. */
export function digestKey(key: string): KeyDigest | undefined {
  if (!keyForm.test(key)) return undefined
  return { prefix: key.slice(0, 12), hash: Buffer.from(createHash('sha256').update(key).digest()) }
}
