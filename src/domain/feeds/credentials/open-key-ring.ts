import type { Config } from '../../../config.ts'
import { keepCredentialKey } from '../../access/credential-key.ts'
import { makeKeyRing, type KeyRing } from './key-ring.ts'

/**
 * The keys of this installation: those of the environment, or the one kept beside an embedded database. With a database of
 * one's own the environment must name the key (`readConfig` asks for it), so none is made for that here.
 */
export async function openKeyRing(access: Config['access'], dataDir: string): Promise<KeyRing> {
  const { credentialKey, olderCredentialKey } = access
  const current = credentialKey ? fromBase64(credentialKey) : await keepCredentialKey(dataDir)
  return makeKeyRing(current, olderCredentialKey ? fromBase64(olderCredentialKey) : undefined)
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64')
