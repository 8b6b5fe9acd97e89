import { z } from 'zod'
import type { ApiKey } from '../../db/generated/client/client.ts'
import type { Db, Tx } from '../../db/prisma.ts'
import { notFound } from '../errors.ts'
import { check, text } from '../input.ts'
import type { Actor } from './actor.ts'
import { audit, changedFields } from './audit.ts'
import { digestKey, makeKey } from './key.ts'

const NewKey = z.object({
  name: text(100),
  scopes: z
    .array(z.enum(['READ', 'OPERATE', 'ADMIN']))
    .min(1, 'needs at least one scope.')
    .transform((scopes) => [...new Set(scopes)]),
  expiresAt: z.date().nullish(),
})
export type NewKeyInput = z.input<typeof NewKey>

/** Makes a key. The clear key is in the answer and nowhere else: it cannot be shown again. */
export async function createApiKey(
  db: Db,
  actor: Actor,
  input: NewKeyInput,
  now: Date,
): Promise<{ key: string; apiKey: ApiKey }> {
  const inFuture = NewKey.refine((given) => !given.expiresAt || given.expiresAt > now, {
    path: ['expiresAt'],
    message: 'lies in the past.',
  })
  const given = check(inFuture, input)
  const key = makeKey()
  return db.$transaction(async (tx) => ({ key, apiKey: await storeKey(tx, actor, key, given) }))
}

/** Lets in a key that was chosen by the operator, once; later starts find it there. */
export async function ensureAdminKey(db: Db, actor: Actor, key: string): Promise<void> {
  const digest = digestKey(key)
  if (!digest) throw new Error('The admin key has not the form of a key.')
  await db.$transaction(async (tx) => {
    // Ten processes may start at once with the same key: one stores it, the others wait and find it.
    await tx.$executeRaw`lock table freshet.api_keys in share row exclusive mode`
    if (await tx.apiKey.findUnique({ where: { hash: digest.hash } })) return
    await storeKey(tx, actor, key, { name: 'admin (from FRESHET_ADMIN_KEY)', scopes: ['ADMIN'], expiresAt: null })
  })
}

/** Makes the very first key of an empty installation; answers nothing when there is any key already, revoked ones included. */
export async function createFirstKey(db: Db, actor: Actor): Promise<string | undefined> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`lock table freshet.api_keys in share row exclusive mode`
    if (await tx.apiKey.findFirst({ select: { id: true } })) return undefined
    const key = makeKey()
    await storeKey(tx, actor, key, { name: 'first admin', scopes: ['ADMIN'], expiresAt: null })
    return key
  })
}

/** Ends a key at once, for open subscriptions too. Revoking twice changes nothing. */
export async function revokeApiKey(db: Db, actor: Actor, id: bigint, now: Date): Promise<ApiKey> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } })
    const apiKey = await tx.apiKey.findUnique({ where: { id } })
    if (!apiKey) throw notFound('API key', 'id')
    if (count > 0)
      await audit(tx, actor, {
        action: 'REVOKE_API_KEY',
        objectType: 'ApiKey',
        objectId: id,
        changes: { revokedAt: { from: null, to: now } },
      })
    return apiKey
  })
}

type Stored = { name: string; scopes: ('READ' | 'OPERATE' | 'ADMIN')[]; expiresAt?: Date | null | undefined }

async function storeKey(
  tx: Tx,
  actor: Actor,
  key: string,
  { name, scopes, expiresAt = null }: Stored,
): Promise<ApiKey> {
  const digest = digestKey(key)
  if (!digest) throw new Error('A key was made that has not the form of a key.')
  const apiKey = await tx.apiKey.create({ data: { name, scopes, expiresAt, createdBy: actor.name, ...digest } })
  const changes = changedFields(undefined, { name, prefix: digest.prefix, scopes, expiresAt })
  await audit(tx, actor, { action: 'CREATE_API_KEY', objectType: 'ApiKey', objectId: apiKey.id, changes })
  return apiKey
}
