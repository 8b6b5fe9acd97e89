import { z } from 'zod'
import type { ApiKey } from '../../db/generated/client/client.ts'
import { KeyScope } from '../../db/generated/client/enums.ts'
import type { Db, Tx } from '../../db/prisma.ts'
import { DomainError, notFound } from '../errors.ts'
import { check, text } from '../input.ts'
import { isInCalendar, outsideCalendar } from '../moment.ts'
import type { Actor, Scope } from './actor.ts'
import { audit, changedFields, type Change } from './audit.ts'
import { digestKey, makeKey, type KeyDigest } from './key.ts'

const newKey = (now: Date) =>
  z.object({
    name: text(100),
    scopes: z
      .array(z.enum(KeyScope))
      .min(1, 'needs at least one scope.')
      .transform((scopes) => [...new Set(scopes)]),
    expiresAt: z
      .date()
      .refine(isInCalendar, outsideCalendar)
      .refine((moment) => moment > now, 'lies in the past.')
      .nullish(),
  })
export type NewKeyInput = z.input<ReturnType<typeof newKey>>

/** Makes a key. The clear key is in the answer and nowhere else: it cannot be shown again. */
export async function createApiKey(
  db: Db,
  actor: Actor,
  input: NewKeyInput,
  now: Date,
): Promise<{ key: string; apiKey: ApiKey }> {
  const given = check(newKey(now), input)
  const key = makeKey()
  return db.$transaction(async (tx) => ({ key, apiKey: await storeKey(tx, actor, key, given) }))
}

/** Lets in a key that was chosen by the operator, once; later starts find it there, and leave it revoked if it was. */
export async function ensureAdminKey(db: Db, actor: Actor, key: string): Promise<void> {
  const digest = digestKey(key)
  if (!digest) throw new Error('The admin key has not the form of a key.')
  await storeOnce(db, actor, key, { hash: digest.hash }, 'admin (from FRESHET_ADMIN_KEY)')
}

/** Makes the very first key of an empty installation; answers nothing when there is any key already, revoked ones included. */
export async function createFirstKey(db: Db, actor: Actor): Promise<string | undefined> {
  const key = makeKey()
  return (await storeOnce(db, actor, key, {}, 'first admin')) ? key : undefined
}

/** Stores an ADMIN key unless there is one like `unless`. Ten processes may start at once: one stores it, the others find it. */
async function storeOnce(
  db: Db,
  actor: Actor,
  key: string,
  unless: { hash?: KeyDigest['hash'] },
  name: string,
): Promise<boolean> {
  const isThere = async (tx: Tx) => (await tx.apiKey.findFirst({ where: unless, select: { id: true } })) !== null
  if (await isThere(db)) return false // every later start: no need to hold up those who use their keys
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`lock table freshet.api_keys in share row exclusive mode`
    if (await isThere(tx)) return false
    await storeKey(tx, actor, key, { name, scopes: ['ADMIN'], expiresAt: null })
    return true
  })
}

/**
 * Ends a key at once, for open subscriptions too. Revoking twice changes nothing: the first moment stays. The last key with
 * ADMIN goes only with `confirm`: after it nobody can make another through the API.
 */
export async function revokeApiKey(
  db: Db,
  actor: Actor,
  id: bigint,
  now: Date,
  { confirm = false }: { confirm?: boolean } = {},
): Promise<ApiKey> {
  return db.$transaction(async (tx) => {
    if (!confirm) await keepAnAdmin(tx, id, now)
    const { count } = await tx.apiKey.updateMany({ where: { id, revokedAt: null }, data: { revokedAt: now } })
    const apiKey = await tx.apiKey.findUnique({ where: { id } })
    if (!apiKey) throw notFound('API key', 'id')
    const changes: Record<string, Change> = count > 0 ? { revokedAt: { from: null, to: now } } : {}
    await audit(tx, actor, { action: 'REVOKE_API_KEY', objectType: 'ApiKey', objectId: id, changes })
    return apiKey
  })
}

async function keepAnAdmin(tx: Tx, id: bigint, now: Date): Promise<void> {
  await tx.$executeRaw`lock table freshet.api_keys in share row exclusive mode` // two at once would each see the other's key
  const working = {
    scopes: { has: 'ADMIN' as const },
    revokedAt: null,
    OR: [{ expiresAt: null }, { expiresAt: { gt: now } }],
  }
  const admins = await tx.apiKey.findMany({ where: working, select: { id: true }, take: 2 })
  if (admins.length === 1 && admins[0]?.id === id)
    throw new DomainError('CONFLICT', 'This is the last key with the scope ADMIN.', {
      field: 'id',
      hint: 'Make another one first, or send `confirm: true`; on the server "freshet keys create" still makes keys.',
    })
}

type Stored = { name: string; scopes: Scope[]; expiresAt?: Date | null | undefined }

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
