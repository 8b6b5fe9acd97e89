import type { AlertSeverity } from '../../db/generated/client/client.ts'
import type { Pool } from '../../db/pool.ts'
import { readQuery } from '../../db/query.ts'
import { queryWithin } from '../../db/sql.ts'
import { DomainError } from '../errors.ts'
import type { KeepAlive, StreamStart } from '../stream.ts'
import type { AlertBell } from './alert-bell.ts'

/** That an alert was raised, or became more severe. */
export type AlertNews = {
  readonly type: 'AlertRaised'
  readonly position: bigint
  readonly alertId: bigint
  readonly severity: AlertSeverity
  readonly at: Date
  readonly isEscalation: boolean
}

/** The name of this stream in its cursors. */
export const alertStream = 'alertRaised'
export const newsAtOnce = 100
const answerMs = 10_000
const retryMs = 1_000
const newsAfter = readQuery('alert_news_after')

type Watch = { bell: AlertBell; pool: Pool; now: () => Date; signal: AbortSignal }
type Row = { position: string; alert_id: string; severity: AlertSeverity; at: Date; is_escalation: boolean }

/**
 * Every alert that is raised, and every one that becomes more severe, behind a place in the stream or from now on: each
 * once, in order. A database that is away is waited for.
 */
export async function* watchAlerts(
  { bell, pool, now, signal }: Watch,
  after: bigint | undefined,
): AsyncGenerator<StreamStart | AlertNews | KeepAlive, void, undefined> {
  const { last, pruned } = await placeNews(pool)
  let position = after ?? last
  if (position > last) throw expired('This database never gave that cursor.')
  if (position < pruned) throw expired('The news of alerts behind this cursor are no longer kept.')
  yield { type: 'StreamStart', stream: alertStream, position }
  while (!signal.aborted && !bell.isStopped) {
    const rung = bell.next()
    const news = await readNews(pool, position).catch(() => undefined)
    for (const one of news ?? []) {
      yield one
      position = one.position
    }
    if (news?.length === newsAtOnce) continue
    const isQuiet = await wait(rung, signal, news ? bell.keepAliveMs : retryMs)
    if (isQuiet && news) yield { type: 'KeepAlive', at: now() }
  }
}

const readAlerts = 'Read the present state with `alerts`, then subscribe again without `after`.'
const expired = (message: string) => new DomainError('CURSOR_EXPIRED', message, { field: 'after', hint: readAlerts })

type Places = { last: bigint; pruned: bigint }

/** Gives what was told its places; answers the last one, and the last one that is no longer kept. */
async function placeNews(pool: Pool): Promise<Places> {
  const text = 'select freshet.place_alert_news() as last, pruned_position as pruned from freshet.alert_stream'
  const statement = { name: 'place_alert_news', text, values: [] }
  const [row] = await queryWithin<Record<keyof Places, string>>(pool, answerMs, statement)
  return { last: BigInt(row?.last ?? 0), pruned: BigInt(row?.pruned ?? 0) }
}

async function readNews(pool: Pool, after: bigint): Promise<AlertNews[]> {
  if ((await placeNews(pool)).last <= after) return []
  const values = [after, newsAtOnce]
  const rows = await queryWithin<Row>(pool, answerMs, { name: 'alert_news_after', text: newsAfter, values })
  return rows.map(({ position, alert_id, severity, at, is_escalation }) => ({
    type: 'AlertRaised',
    position: BigInt(position),
    alertId: BigInt(alert_id),
    severity,
    at,
    isEscalation: is_escalation,
  }))
}

/** Waits for the bell, until the subscriber leaves, or for so long; answers whether it stayed quiet. */
async function wait(rung: Promise<void>, signal: AbortSignal, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const leave = () => resolve(false)
  const timer = setTimeout(() => resolve(true), ms).unref()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const isQuiet = await Promise.race([promise, rung.then(() => false)])
  clearTimeout(timer)
  signal.removeEventListener('abort', leave)
  return isQuiet
}
