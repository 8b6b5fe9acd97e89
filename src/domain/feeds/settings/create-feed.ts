import type { FeedDialect } from '../../../db/generated/client/enums.ts'
import type { Tx } from '../../../db/prisma.ts'
import type { Actor } from '../../access/actor.ts'
import { audit, changedFields } from '../../access/audit.ts'
import { notFound, refuse, type Problem } from '../../errors.ts'
import { checkWith, withoutNulls, type Given } from '../../input.ts'
import { refuseDuplicate } from '../../unique.ts'
import { NewFeed, type FeedChangesInput, type FeedSettings } from './feed-input.ts'
import { columnsOf } from './feed-record.ts'
import { newFeedState, ruleProblems, typedSecret } from './feed-rules.ts'
import { badTimes, rhythmAfter, rhythmOf, writeRhythm } from './feed-schedule.ts'
import type { FeedParts } from '../parts.ts'
import { needAdmin, storeCredential } from './store-secret.ts'

/** Says how the file of an affiliate source is fetched. The feed begins as a draft: it runs when it was enabled. Answers its id. */
export async function createFeed(
  parts: FeedParts,
  actor: Actor,
  sourceId: bigint,
  input: Given<FeedChangesInput>,
): Promise<bigint> {
  const { db, allowPlainFtp, log } = parts
  const given = withoutNulls(input) as FeedChangesInput
  const secret = typedSecret(given)
  if (secret) needAdmin(actor, 'input.password', 'To store a credential')
  const source = await db.source.findUnique({ where: { id: sourceId } })
  const more = [
    ...sourceProblems(source),
    ...ruleProblems(given, newFeedState, allowPlainFtp),
    ...(await badTimes(db, given)),
  ]
  const settings = await checkWith(NewFeed, given, async () => more)
  refuse(more)
  const standard = source?.affiliateNetwork === 'IMPACT' ? ('IMPACT' as const) : ('GENERIC' as const)
  const creating = db.$transaction((tx) => insertFeed(tx, parts, actor, sourceId, settings, standard))
  const id = await refuseDuplicate(creating, {
    feeds_source_id_key: { field: 'input.sourceId', message: 'The source has a feed already.' },
  })
  const network = source?.affiliateNetwork
  log.info({ event: 'FEED_CREATED', feedId: id, sourceId, network, createdBy: actor.name }, 'a feed was created')
  return id
}

async function insertFeed(
  tx: Tx,
  parts: FeedParts,
  actor: Actor,
  sourceId: bigint,
  settings: FeedSettings,
  standard: FeedDialect,
): Promise<bigint> {
  // Locked before the insert: the foreign key would ask for the lock only after the source is taken.
  const found = await tx.$executeRaw`select from freshet.sources where id = ${sourceId} for no key update`
  if (found === 0) throw notFound('source', 'input.sourceId')
  const tlsMode = settings.transport === 'FTPS' ? (settings.tlsMode ?? 'EXPLICIT') : null
  const row = { sourceId, dialect: standard, ...columnsOf(settings), tlsMode }
  const { id, secretVersion } = await tx.feed.create({ data: { ...row, createdBy: actor.name } })
  const rhythm = rhythmAfter(rhythmOf(null), settings)
  await writeRhythm(tx, id, rhythm, false)
  const { expiryHours } = settings
  if (expiryHours !== undefined) await tx.source.update({ where: { id: sourceId }, data: { expiryHours } })
  const changes = changedFields(undefined, { ...row, ...rhythm, expiryHours }, ['username'])
  await audit(tx, actor, { action: 'CREATE_FEED', objectType: 'Feed', objectId: id, changes })
  if (settings.transport === 'FTP') await recordInsecure(tx, parts, actor, id)
  const credential = { secret: typedSecret(settings), isOtherUser: Boolean(settings.username) }
  await storeCredential(tx, parts, actor, { id, secretVersion }, credential)
  return id
}

/** FTP was chosen, and what it means acknowledged (S2 §9.2). */
export async function recordInsecure(tx: Tx, { log }: Pick<FeedParts, 'log'>, actor: Actor, id: bigint): Promise<void> {
  const changes = { transport: { to: 'FTP' } }
  await audit(tx, actor, { action: 'INSECURE_TRANSPORT_SELECTED', objectType: 'Feed', objectId: id, changes })
  const fields = { event: 'INSECURE_TRANSPORT_SELECTED', feedId: id, transport: 'FTP', selectedBy: actor.name }
  log.warn(fields, 'a feed sends user name and password in clear')
}

function sourceProblems(source: { kind: string } | null): Problem[] {
  if (!source) return [{ field: 'input.sourceId', message: 'There is no such source.' }]
  if (source.kind === 'AFFILIATE_FEED') return []
  const hint = 'Create a source with kind AFFILIATE_FEED for the retailer first.'
  return [{ field: 'input.sourceId', message: `is a source of kind ${source.kind}, not AFFILIATE_FEED.`, hint }]
}
