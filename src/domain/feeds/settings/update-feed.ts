import type { Tx } from '../../../db/prisma.ts'
import type { Actor } from '../../access/actor.ts'
import { audit, changedFields, hasChanges, type Change } from '../../access/audit.ts'
import { DomainError, notFound, refuse } from '../../errors.ts'
import { checkWith, type Given } from '../../input.ts'
import { identityFields, type StoredColumnMap } from './column-map-input.ts'
import { recordInsecure } from './create-feed.ts'
import { FeedChanges, type FeedChangesInput, type FeedSettings } from './feed-input.ts'
import { columnsOf, lockFeed, type FeedRecord } from './feed-record.ts'
import { ruleProblems, typedSecret } from './feed-rules.ts'
import { badTimes, rhythmAfter, writeRhythm } from './feed-schedule.ts'
import type { FeedParts } from '../parts.ts'
import { recordExpiryHours } from '../../sources/expiry.ts'
import { needAdmin, storeCredential } from './store-secret.ts'

type Changes = Record<string, Change | 'changed'>

/** Where the file lies: what is stored must not be sent elsewhere by whoever may not set it. */
const whereItLies = ['transport', 'tlsMode', 'host', 'port'] as const
/** Changes a feed. What is left out stays, a blank password too. Answers the feed's id. */
export async function updateFeed(
  parts: FeedParts,
  actor: Actor,
  id: bigint,
  input: Given<FeedChangesInput>,
  confirm: boolean,
): Promise<bigint> {
  const { db, allowPlainFtp, log } = parts
  const before = await db.feed.findUnique({ where: { id } })
  if (!before) throw notFound('feed', 'input.id')
  const schedule = await db.schedule.findUnique({ where: { kind_subjectId: { kind: 'feed', subjectId: id } } })
  const state = { ...before, cron: schedule?.cron ?? null }
  const more = [...ruleProblems(input, state, allowPlainFtp), ...(await badTimes(db, input))]
  const settings = await checkWith(FeedChanges, input, async () => more)
  refuse(more)
  if (typedSecret(settings)) needAdmin(actor, 'input.password', 'To store a credential')
  const changes = await db.$transaction((tx) => writeChanges(tx, parts, actor, id, settings, confirm))
  const changedNames = Object.keys(changes)
  if (changedNames.length > 0)
    log.info(
      { event: 'FEED_UPDATED', feedId: id, changedFields: changedNames, updatedBy: actor.name },
      'a feed was changed',
    )
  return id
}

async function writeChanges(
  tx: Tx,
  parts: FeedParts,
  actor: Actor,
  id: bigint,
  settings: FeedSettings,
  confirm: boolean,
): Promise<Changes> {
  const record = await lockFeed(tx, id, 'input.id')
  const { feed, rhythm, expiryHours } = record
  refuse(ruleProblems(settings, { ...feed, cron: rhythm.scheduleCron }, parts.allowPlainFtp))
  const columns = withTlsMode(columnsOf(settings), record)
  const changes = changedFields(feed, columns, ['username'])
  const rhythmNow = rhythmAfter(rhythm, settings)
  const timing = changedFields(rhythm, rhythmNow)
  const lasting =
    settings.expiryHours === undefined ? {} : changedFields({ expiryHours }, { expiryHours: settings.expiryHours })
  const secret = typedSecret(settings)
  if (feed.secretKeyId && !secret && whereItLies.some((name) => name in changes))
    needAdmin(
      actor,
      `input.${whereItLies.find((name) => name in changes)}`,
      'To send the stored credential to another place',
    )
  if (!confirm) await refuseOtherIdentity(tx, record, changes, columns.columnMap)

  if (hasChanges(changes)) await tx.feed.update({ where: { id }, data: columns })
  if (hasChanges(timing)) await writeRhythm(tx, id, rhythmNow, feed.status === 'ENABLED')
  const all = { ...changes, ...timing, ...lasting }
  await audit(tx, actor, { action: 'UPDATE_FEED', objectType: 'Feed', objectId: id, changes: all })
  if (settings.expiryHours !== undefined && hasChanges(lasting)) {
    const change = { from: expiryHours, to: settings.expiryHours }
    await tx.source.update({ where: { id: feed.sourceId }, data: { expiryHours: change.to } })
    await recordExpiryHours(tx, parts.log, actor, { objectType: 'Feed', objectId: id }, change)
  }
  if (changes.transport !== undefined && columns.transport === 'FTP') await recordInsecure(tx, parts, actor, id)
  const version = { id, secretVersion: feed.secretVersion + 1 }
  await storeCredential(tx, parts, actor, version, { secret, isOtherUser: 'username' in changes })
  return { ...all, ...(secret ? { credential: 'changed' as const } : {}) }
}

type Columns = ReturnType<typeof columnsOf>

/** TLS has a mode with FTPS alone. */
function withTlsMode(columns: Columns, { feed }: FeedRecord): Columns {
  if (columns.transport === undefined && columns.tlsMode === undefined) return columns
  const transport = columns.transport ?? feed.transport
  const tlsMode = transport === 'FTPS' ? (columns.tlsMode ?? feed.tlsMode ?? ('EXPLICIT' as const)) : null
  return { ...columns, tlsMode }
}

type Shown = { active: number; types: string | null }

/** Another way to tell offers apart makes every one a new offer, and lets the old ones expire (RULINGS 25). */
async function refuseOtherIdentity(
  tx: Tx,
  { feed }: FeedRecord,
  changes: Changes,
  columnMap: StoredColumnMap | undefined,
): Promise<void> {
  const mapBefore = feed.columnMap as StoredColumnMap
  const moved = columnMap
    ? identityFields.filter((name) => JSON.stringify(columnMap[name]) !== JSON.stringify(mapBefore[name]))
    : []
  if (!('dialect' in changes) && moved.length === 0) return
  const [shown] = await tx.$queryRaw<Shown[]>`
    select count(*)::int as active, string_agg(distinct o.identity_type::text, ', ') as types
    from freshet.current_offers c join freshet.offers o on o.id = c.offer_id where c.source_id = ${feed.sourceId}`
  const wasShown = await tx.promotion.findFirst({ where: { sourceId: feed.sourceId }, select: { id: true } })
  if (!wasShown) return
  const field = 'dialect' in changes ? 'input.dialect' : 'input.columnMap'
  throw new DomainError(
    'CONFIRMATION_REQUIRED',
    `${field}: this changes how offers are told apart. ${shown?.active ?? 0} offers that are shown or were lately are known by ${shown?.types ?? 'none'}; those that the next run names otherwise begin anew, and their history ends.`,
    { field, hint: 'Try the change with testFeed first. If it is meant, send it again with confirm: true.' },
  )
}
