import { expect } from 'vitest'
import { impactCsv, productsOf } from './feed-files.ts'
import type { TestDatabase } from './database.ts'
import { aFeedOf, remainsOf, type openAttempts } from './feed-base.ts'
import { leavingsOf, leavingsThatDiffer } from './feed-leavings.ts'
import type { startFtpServer } from './ftp-server.ts'
import type { startSftpServer } from './sftp-server.ts'

type Server = Awaited<ReturnType<typeof startSftpServer>> | Awaited<ReturnType<typeof startFtpServer>>
type Stand = { database: TestDatabase; attempts: Awaited<ReturnType<typeof openAttempts>>; server: Server }
const days = [1, 2, 3].map((day) => new Date(Date.UTC(2026, 2, day)))
const first = impactCsv(productsOf(600))
const second = impactCsv(productsOf(590, (n) => ({ price: `${10 + (n % 7)}.00`, title: `Second ${n}` }), 20))

/**
 * Plays feeds whose second file comes spoiled, and then well. Answers how the spoiled attempt ended, whether anything of it was
 * shown, and in what the next attempt's leavings differ from those of an undisturbed run.
 */
export function openTransfers({ database, attempts, server }: Stand, pack: (text: string) => Buffer) {
  const { pool } = database
  const play = async (spoilIt: (good: Buffer) => void) => {
    const feed = await aFeedOf(database, server)
    server.mend()
    server.serve(pack(first), days[0])
    expect((await attempts.attempt(feed, { now: days[0]! })).outcome.kind).toBe('done')
    const visible = async () => {
      const { rows } = await pool.query(
        'select title, price from freshet.visible_offers($2) where source_id = $1 order by offer_id',
        [feed.sourceId, days[1]],
      )
      return JSON.stringify(rows)
    }
    const before = await visible()
    server.serve(pack(second), days[1])
    spoilIt(pack(second))
    const spoiled = await attempts.attempt(feed, { now: days[1]! })
    const isShown = (await visible()) !== before
    server.mend()
    server.serve(pack(second), days[1])
    const { outcome } = await attempts.attempt(feed, { now: days[1]!, jobId: spoiled.jobId })
    return { spoiled: spoiled.outcome, isShown, outcome, leavings: await leavingsOf(pool, feed.sourceId) }
  }
  let undisturbed: ReturnType<typeof play> | undefined
  return async (spoil: (good: Buffer) => void) => {
    const wanted = await (undisturbed ??= play(() => {}))
    expect(wanted).toMatchObject({ isShown: true, spoiled: { kind: 'done' } })
    const { spoiled, isShown, outcome, leavings } = await play(spoil)
    return {
      end: spoiled.kind,
      code: 'failure' in spoiled ? spoiled.failure.code : undefined,
      isShown,
      next: outcome.kind,
      unequal: leavingsThatDiffer(leavings, wanted.leavings),
      remains: await remainsOf(database),
      files: await attempts.filesLeft(),
    }
  }
}

/** What is wanted of every transfer that goes wrong: it may be tried again, nothing of it is shown, and the next run is as ever. */
export const transient = (code: string) => ({
  end: 'retried',
  code,
  isShown: false,
  next: 'done',
  unequal: [],
  remains: [],
  files: [],
})
