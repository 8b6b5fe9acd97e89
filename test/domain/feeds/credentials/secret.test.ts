import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeKeyRing } from '../../../../src/domain/feeds/credentials/key-ring.ts'
import { openKeyRing } from '../../../../src/domain/feeds/credentials/open-key-ring.ts'
import { decryptSecret, encryptSecret, secretContext } from '../../../../src/domain/feeds/credentials/secret.ts'
import { PermanentError } from '../../../../src/domain/queue/job-error.ts'

const keys = [randomBytes(32), randomBytes(32), randomBytes(32)] as const
const ring = makeKeyRing(keys[0])
const secret = { password: 'pä$$ wörd', privateKey: '-----BEGIN KEY-----\nx\n', passphrase: 'p' }
const context = secretContext('7', 1)

function failureOf(work: () => unknown): PermanentError {
  try {
    work()
  } catch (error) {
    if (error instanceof PermanentError) return error
    throw error
  }
  throw new Error('it was read')
}

test('S2 §10.2: version, IV, tag and ciphertext lie in one blob; the context is feed:<id>:v<version>', () => {
  expect([context, secretContext(12n, 3)]).toEqual(['feed:7:v1', 'feed:12:v3'])
  const { secretCiphertext, secretKeyId } = encryptSecret(ring, secret, context)
  expect(secretCiphertext[0]).toBe(1)
  expect(secretCiphertext.length).toBe(1 + 12 + 16 + Buffer.byteLength(JSON.stringify(secret)))
  expect(secretKeyId).toMatch(/^[0-9a-f]{16}$/)
  expect(decryptSecret(ring, { secretCiphertext, secretKeyId }, context)).toEqual(secret)
})

test('S2 §10.2: whatever is encrypted comes back, and never twice as the same bytes', () => {
  const secrets = fc.record(
    { password: fc.string(), privateKey: fc.string(), passphrase: fc.string() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(secrets, fc.string(), (some, context) => {
      const [one, two] = [encryptSecret(ring, some, context), encryptSecret(ring, some, context)]
      expect(decryptSecret(ring, one, context)).toEqual({ ...some })
      expect(Buffer.compare(one.secretCiphertext, two.secretCiphertext)).not.toBe(0)
    }),
  )
})

test.each([
  ['another feed', secretContext('8', 1)],
  ['another version', secretContext('7', 2)],
  ['nothing', ''],
])('S2 §10.2: what was copied to %s does not decrypt', (_to, other) => {
  const error = failureOf(() => decryptSecret(ring, encryptSecret(ring, secret, context), other))
  expect(error.code).toBe('CREDENTIAL_UNREADABLE')
  expect(error.message).toContain('belongs to another feed')
})

test('S2 §10.2: a change of any byte, and any length cut off, is noticed', () => {
  const stored = encryptSecret(ring, secret, context)
  for (let at = 0; at < stored.secretCiphertext.length; at++) {
    const changed = Buffer.from(stored.secretCiphertext)
    changed[at]! ^= 1
    const cut = stored.secretCiphertext.subarray(0, at)
    for (const secretCiphertext of [changed, cut])
      expect(failureOf(() => decryptSecret(ring, { ...stored, secretCiphertext }, context)).code).toBe(
        'CREDENTIAL_UNREADABLE',
      )
  }
})

test('S2 §10.2: what is cut short, or of another format, is named', () => {
  const stored = encryptSecret(ring, secret, context)
  const cut = { ...stored, secretCiphertext: stored.secretCiphertext.subarray(0, 28) }
  expect(failureOf(() => decryptSecret(ring, cut, context)).message).toContain('cut short')
  const later = { ...stored, secretCiphertext: Buffer.concat([Buffer.of(2), stored.secretCiphertext.subarray(1)]) }
  expect(failureOf(() => decryptSecret(ring, later, context)).message).toContain('format 2')
})

test('issue 5 §5: the key before this one still decrypts, and only the new one encrypts', () => {
  const before = makeKeyRing(keys[1])
  const during = makeKeyRing(keys[0], keys[1])
  const old = encryptSecret(before, secret, context)
  expect(old.secretKeyId).toBe(during.older?.id)
  expect(decryptSecret(during, old, context)).toEqual(secret)
  const renewed = encryptSecret(during, secret, context)
  expect([renewed.secretKeyId, renewed.secretKeyId === old.secretKeyId]).toEqual([ring.current.id, false])
  expect(decryptSecret(ring, renewed, context)).toEqual(secret)
})

test('issue 5 §5: a key that is not at hand is named by its id', () => {
  const stored = encryptSecret(makeKeyRing(keys[2]), secret, context)
  const error = failureOf(() => decryptSecret(makeKeyRing(keys[0], keys[1]), stored, context))
  expect(error.message).toContain(stored.secretKeyId)
  expect(error.message).toContain(ring.current.id)
  const forged = { ...stored, secretKeyId: ring.current.id }
  expect(failureOf(() => decryptSecret(ring, forged, context)).code).toBe('CREDENTIAL_UNREADABLE')
})

test('S2 §10.5: neither a key ring nor an error shows a key, the blob or what it holds', () => {
  const stored = encryptSecret(ring, secret, context)
  const changed = Buffer.from(stored.secretCiphertext)
  changed[40]! ^= 1
  const error = failureOf(() => decryptSecret(ring, { ...stored, secretCiphertext: changed }, context))
  const shown = inspect(ring, { depth: 9 }) + JSON.stringify(ring) + inspect(error) + JSON.stringify(error)
  for (const bytes of [keys[0], stored.secretCiphertext, changed])
    for (const form of ['hex', 'base64'] as const)
      expect(shown).not.toContain(Buffer.from(bytes).toString(form).slice(0, 16))
  expect(shown).not.toContain(secret.password)
})

test.each([0, 31, 33])('S2 §10.1: a key of %s bytes is refused at once', (length) => {
  expect(() => makeKeyRing(Buffer.alloc(length, 1))).toThrow(`has 32 bytes, not ${length}`)
  expect(() => makeKeyRing(keys[0], Buffer.alloc(length, 1))).toThrow(`has 32 bytes, not ${length}`)
})

test('S2 §10.1: the keys of the environment, or the one kept beside the embedded database', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'freshet-keys-'))
  const access = { publicRead: true, adminKey: undefined }
  const given = keys.map((key) => key.toString('base64'))
  try {
    const named = await openKeyRing({ ...access, credentialKey: given[0], olderCredentialKey: given[1] }, dir)
    expect(named).toMatchObject({ current: { id: ring.current.id }, older: { id: makeKeyRing(keys[1]).current.id } })
    const same = await openKeyRing({ ...access, credentialKey: given[0], olderCredentialKey: given[0] }, dir)
    expect(same.older).toBeUndefined()
    const kept = await openKeyRing({ ...access, credentialKey: undefined, olderCredentialKey: given[0] }, dir)
    const file = Buffer.from((await readFile(join(dir, 'credential-key'), 'utf8')).trim(), 'base64')
    expect(kept.current.id).toBe(makeKeyRing(file).current.id)
    expect(kept.older?.id).toBe(ring.current.id)
  } finally {
    await rm(dir, { recursive: true })
  }
})
