import { createHash, createSecretKey, type KeyObject } from 'node:crypto'

/** A key, and the id that is stored beside what it encrypted. A `KeyObject` shows nothing of itself when it is logged. */
export type CredentialKey = { id: string; key: KeyObject }

/** The key that encrypts, and the one before it, which still decrypts what was not encrypted anew since. */
export type KeyRing = { current: CredentialKey; older?: CredentialKey }

const keyBytes = 32

/** The keys at hand. An older key that is the current one is no key of its own. */
export function makeKeyRing(current: Uint8Array, older?: Uint8Array): KeyRing {
  const first = credentialKey(current)
  const second = older && credentialKey(older)
  return second && second.id !== first.id ? { current: first, older: second } : { current: first }
}

/** The key that a stored id names, if it is at hand. */
export function findKey({ current, older }: KeyRing, id: string): CredentialKey | undefined {
  return [current, older].find((key) => key?.id === id)
}

function credentialKey(bytes: Uint8Array): CredentialKey {
  if (bytes.length !== keyBytes)
    throw new Error(
      `A key for credentials has ${keyBytes} bytes, not ${bytes.length}. Make one with "openssl rand -base64 32".`,
    )
  return { id: keyId(bytes), key: createSecretKey(bytes) }
}

/** 64 bits of a hash: enough to tell keys apart, and of a key of 256 random bits it tells nothing. */
function keyId(bytes: Uint8Array): string {
  return createHash('sha256').update('freshet credential key\n').update(bytes).digest('hex').slice(0, 16)
}
